/*
 * Locks of one height, exhaustively: three honest validators and a faulty one that says anything to any validator, two cuts,
 * ROUNDS rounds, messages of any delay and loss. What the faulty one says is not stored: it counts for whatever an honest
 * validator wants to see, so a polka needs two honest prevotes and a decision two honest precommits. Any cut may be
 * proposed in any round, and a validator may vote nil at any time.
 */
#ifndef ROUNDS
#define ROUNDS 3
#endif
#define HONEST 3
#define NEEDED 2
#define NIL 0
#define NONE 15

/* How many honest validators prevoted and precommitted a cut in a round. */
byte prevotes[ROUNDS * 2];
byte precommits[ROUNDS * 2];
/* Cuts that can be decided: a quorum of precommits in one round. */
bool decided[2];

#define AT(r, cut) ((r) * 2 + (cut) - 1)

/* Rounds only grow; a cut proposed again leans on a polka that is no earlier than the lock. */
inline prevote(cut) {
  d_step {
    from = (locked == NIL -> 0 : lockRound);
    may = (locked == NIL || locked == cut);
    do
    :: from < r -> may = may || prevotes[AT(from, cut)] >= NEEDED; from++
    :: else -> break
    od;
#ifdef NO_LOCK
    may = true;
#endif
    if
    :: may -> prevotes[AT(r, cut)]++
    :: else
    fi;
    from = 0; may = false
  }
}

inline precommit(cut) {
  d_step {
    prevotes[AT(r, cut)] >= NEEDED ->
    locked = cut;
    lockRound = r;
    precommits[AT(r, cut)]++;
    decided[cut - 1] = decided[cut - 1] || precommits[AT(r, cut)] >= NEEDED;
    assert(!(decided[0] && decided[1]))
  }
}

active [HONEST] proctype validator() {
  byte r, from;
  byte locked = NIL, lockRound = NONE;
  bool may;
  do
  :: r < ROUNDS ->
    if
    :: prevote(1)
    :: prevote(2)
    :: skip
    fi;
    if
    :: precommit(1)
    :: precommit(2)
    :: skip
    fi;
    r++
  :: else -> break
  od
}
