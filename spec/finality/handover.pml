/*
 * What one height hands to the next, exhaustively: two honest validators have decided one cut, each in one of ROUNDS
 * rounds, and hold late precommits of SLOTS other rounds; a faulty one sends precommits of any round, certificates of
 * rounds with a quorum come from any sender in any order, processes restart. Each claims the round of its own certificate.
 *
 * FIRST_COME: rounds are held as they come (the rule before ADR 0312).
 */
#ifndef ROUNDS
#define ROUNDS 4
#endif
#ifndef SLOTS
#define SLOTS 1
#endif
#define VALIDATORS 2
#define NONE 255

/* Rounds in which the cut has a quorum of precommits; in the others the faulty validator alone signed. */
bool quorum[ROUNDS];
byte own[VALIDATORS];
/* Claimed rounds, latest last, and whether a quorum of each is held. */
byte slots[VALIDATORS * SLOTS];
bool whole[VALIDATORS * SLOTS];

#define SLOT(i, at) slots[(i) * SLOTS + (at)]
#define WHOLE(i, at) whole[(i) * SLOTS + (at)]

inline find(i, r) {
  place = NONE;
  at = 0;
  do
  :: at < SLOTS ->
    if
    :: SLOT(i, at) == r -> place = at
    :: else
    fi;
    at++
  :: else -> break
  od
}

/* A round enters: into a free slot, or, where claims displace, instead of the oldest one. */
inline enter(i, r, isWhole, mayDisplace) {
  find(i, NONE);
  if
  :: place != NONE -> SLOT(i, place) = r; WHOLE(i, place) = isWhole
  :: place == NONE && mayDisplace ->
    at = 1;
    do
    :: at < SLOTS -> SLOT(i, at - 1) = SLOT(i, at); WHOLE(i, at - 1) = WHOLE(i, at); at++
    :: else -> break
    od;
    SLOT(i, SLOTS - 1) = r; WHOLE(i, SLOTS - 1) = isWhole
  :: else
  fi
}

/* Precommits of a quorum, as one certificate or, before ADR 0312, one by one. */
inline takeQuorum(i, r) {
  find(i, r);
  if
  :: own[i] == r
  :: own[i] != r && place != NONE -> WHOLE(i, place) = true
#ifdef FIRST_COME
  :: own[i] != r && place == NONE -> enter(i, r, true, false)
#else
  :: own[i] != r && place == NONE -> enter(i, r, true, true)
#endif
  fi
}

init {
  byte r;
  byte i;
  byte at;
  byte place;
  /* What was signed, and in which round each of the two decided. */
  atomic {
    for (r : 0 .. ROUNDS - 1) {
      if
      :: quorum[r] = true
      :: quorum[r] = false
      fi
    }
    for (i : 0 .. VALIDATORS - 1) {
      select (r : 0 .. ROUNDS - 1);
      quorum[r] = true;
      own[i] = r;
      for (at : 0 .. SLOTS - 1) { SLOT(i, at) = NONE }
    }
    at = 0; place = 0; r = 0; i = 0
  }
  do
  :: atomic { /* Junk: a single precommit of the faulty validator in some round. */
      select (i : 0 .. VALIDATORS - 1);
      select (r : 0 .. ROUNDS - 1);
#ifdef FIRST_COME
      find(i, r);
      if
      :: own[i] != r && place == NONE -> enter(i, r, false, false)
      :: else
      fi;
#endif
      at = 0; place = 0; r = 0; i = 0
    }
  :: atomic { /* Another validator gives a quorum of a round. */
      select (i : 0 .. VALIDATORS - 1);
      select (r : 0 .. ROUNDS - 1);
      if
      :: quorum[r] -> takeQuorum(i, r)
      :: else
      fi;
      at = 0; place = 0; r = 0; i = 0
    }
  :: atomic { /* A restart: the store has the own certificate, the log the rest or nothing of it. */
      select (i : 0 .. VALIDATORS - 1);
      for (at : 0 .. SLOTS - 1) { SLOT(i, at) = NONE; WHOLE(i, at) = false }
      at = 0; place = 0; r = 0; i = 0
    }
  :: d_step { /* The other one proposes, claims its own round and gives its certificate: the claim is held then. */
      i = 0;
      do
      :: i < VALIDATORS ->
        takeQuorum(i, own[1 - i]);
        find(i, own[1 - i]);
        assert(own[i] == own[1 - i] || (place != NONE && WHOLE(i, place)));
        i++
      :: else -> break
      od;
      at = 0; place = 0; r = 0; i = 0
    }
  od
}
