/**
 * The look of the pages that the node renders: light and dark by the system, readable on a phone, no scripts
 * and nothing from elsewhere.
 */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--ink:#16211f;--soft:#5a6a66;--line:#dde5e2;--paper:#fbfcfb;--card:#fff;--accent:#0f766e;--post:#9a3412;--tint:#eef6f4}
@media(prefers-color-scheme:dark){:root{--ink:#e3ebe8;--soft:#93a5a0;--line:#26322f;--paper:#0e1413;--card:#141c1a;--accent:#5eead4;--post:#fdba74;--tint:#16231f}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:68rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:1.9rem;margin:0;letter-spacing:-.02em}
h2{font-size:1.05rem;margin:2.5rem 0 .75rem;text-transform:capitalize;scroll-margin-top:1rem}
nav{display:flex;flex-wrap:wrap;gap:.4rem;margin:1.25rem 0 0}
nav a{padding:.15rem .7rem;border:1px solid var(--line);border-radius:1rem;background:var(--card);font-size:.85rem;text-decoration:none;text-transform:capitalize}
nav a:hover{background:var(--tint)}
p{margin:.4rem 0 0;color:var(--soft)}
a{color:var(--accent)}
code,dd,.path{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.86rem;font-variant-numeric:tabular-nums}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:.75rem;margin:1.75rem 0 0}
dl div{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.7rem .9rem}
dl .wide{grid-column:span 2}
dt{color:var(--soft);font-size:.8rem}
dd{margin:.15rem 0 0;overflow-wrap:anywhere}
ul{list-style:none;margin:0;padding:0;background:var(--card);border:1px solid var(--line);border-radius:.6rem}
li{display:grid;grid-template-columns:3.6rem minmax(0,1fr);gap:.25rem .75rem;padding:.65rem .9rem;border-top:1px solid var(--line)}
li:first-child{border-top:0}
li:hover{background:var(--tint)}
.method{font:600 .72rem/1.9 ui-monospace,monospace;color:var(--accent);letter-spacing:.04em}
.post{color:var(--post)}
.path{overflow-wrap:anywhere;text-decoration:none}
a:hover{text-decoration:underline}
a:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:.2rem}
.about{grid-column:2;color:var(--soft);font-size:.9rem}
.mark{border:1px solid var(--line);border-radius:1rem;font-size:.7rem;padding:.05rem .5rem;margin-left:.4rem;color:var(--soft);white-space:nowrap}
p .explorer{display:inline-block;margin-top:.6rem;padding:.45rem 1rem;border-radius:.5rem;background:var(--accent);color:var(--paper);font-weight:600;text-decoration:none}
footer{margin-top:2.5rem;color:var(--soft);font-size:.9rem}
@media(max-width:36rem){main{padding-top:1.5rem}dl{grid-template-columns:repeat(2,1fr);gap:.5rem}}
`;
