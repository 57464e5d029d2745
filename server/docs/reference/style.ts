/** The style of the reference page. It loads no font, and follows the reader's light or dark mode. */

export const STYLE = `
:root { color-scheme: light dark; --text: #1c2330; --back: #fff; --side: #f5f7fa; --line: #d5dae2; --quiet: #5b6472; --link: #0b57b8; --code: #f0f3f7; --good: #1b6e3c; --bad: #a3231f;
  --get: #0b6bb8; --post: #1b6e3c; --patch: #8a5a00; --put: #8a5a00; --delete: #a3231f; --key: #0b57b8; --string: #1b6e3c; --number: #8a4b00; --word: #7a2f8f; }
@media (prefers-color-scheme: dark) {
  :root { --text: #dfe4ec; --back: #14181f; --side: #1a1f28; --line: #343c49; --quiet: #9aa4b3; --link: #7db4f5; --code: #222936; --good: #6cc78d; --bad: #f0857f;
    --get: #7db4f5; --post: #6cc78d; --patch: #e0b25c; --put: #e0b25c; --delete: #f0857f; --key: #7db4f5; --string: #7fcf9b; --number: #e6b673; --word: #d3a3e8; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; color: var(--text); background: var(--back); font: 15px/1.55 system-ui, "Segoe UI", Roboto, sans-serif; }
nav { position: fixed; inset: 0 auto 0 0; width: 19rem; padding: 1.25rem 1rem 2rem; overflow-y: auto; background: var(--side); border-right: 1px solid var(--line); font-size: .87rem; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav ul ul { margin: .2rem 0 .8rem; }
nav li > a:not([aria-current]) + ul:not(.found) { display: none; }
nav li > a[aria-current] { color: var(--link); }
nav ul ul a.here { background: var(--code); color: var(--text); }
#menu, #menu + label { display: none; }
nav li > a { display: block; padding: .12rem .35rem; border-radius: .25rem; color: inherit; text-decoration: none; }
nav ul ul a { display: grid; grid-template-columns: 3.4rem 1fr; color: var(--quiet); }
nav a:hover, nav a:focus-visible { background: var(--code); color: var(--text); }
nav > ul > li > a { font-weight: 600; }
nav input { width: 100%; margin: .5rem 0 1rem; }
.title { margin: 0; font-weight: 700; }
.title a { color: inherit; text-decoration: none; }
main { max-width: 92rem; margin-left: 19rem; padding: 2rem 3rem 6rem; }
.lead { font-size: 1.15rem; color: var(--quiet); }
.beside { display: grid; grid-template-columns: minmax(0, 7fr) minmax(0, 5fr); gap: 0 2.5rem; align-items: start; }
.samples { position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow-y: auto; font-size: .93em; }
.samples h4:first-child { margin-top: 0; }
#first-call { margin: 1.5rem 0 1rem; }
#first-call h2 { margin-top: 0; border: 0; }
h2.tag { font-size: 1.6rem; }
.key { color: var(--key); } .string { color: var(--string); } .number { color: var(--number); } .word { color: var(--word); } .comment { color: var(--quiet); }
footer { margin-top: 4rem; }
h1 { margin: 0 0 .5rem; font-size: 1.9rem; line-height: 1.25; }
h2 { margin: 3.5rem 0 .5rem; padding-bottom: .3rem; border-bottom: 2px solid var(--line); font-size: 1.45rem; }
h3 { margin: 0 0 .35rem; font-size: 1.12rem; overflow-wrap: anywhere; }
h2 a, h3 a { color: inherit; text-decoration: none; }
h2 a:hover, h3 a:hover { text-decoration: underline; }
h4 { margin: 1.1rem 0 .3rem; font-size: .95rem; }
p { margin: .4rem 0; }
a { color: var(--link); }
article { margin: 1.75rem 0; padding-bottom: 1.5rem; border-bottom: 1px solid var(--line); }
article:target h3, article:target h2 { border-left: 4px solid var(--link); padding-left: .5rem; }
code { font: .88em/1.45 ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; padding: .08em .3em; border-radius: .25rem; background: var(--code); overflow-wrap: anywhere; }
pre { margin: .4rem 0; padding: .8rem 1rem; border-radius: .4rem; background: var(--code); overflow: auto; max-height: 30rem; }
pre code { padding: 0; background: none; white-space: pre-wrap; }
.call code { font-size: .95em; }
table { width: 100%; margin: .5rem 0; border-collapse: collapse; font-size: .88rem; }
th, td { padding: .35rem .8rem .35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { font-weight: 600; color: var(--quiet); }
.fields th:nth-child(1) { width: 30%; }
.fields th:nth-child(2) { width: 22%; }
.quiet, .notes { color: var(--quiet); }
.required, .deprecated { font-size: .78rem; color: var(--bad); }
.method { display: inline-block; min-width: 3.4em; font: 600 .72rem/1.5 ui-monospace, Menlo, Consolas, monospace; text-transform: uppercase; }
.call .method { padding: 0 .5em; border: 1px solid currentColor; border-radius: .25rem; text-align: center; font-size: .8rem; }
.get { color: var(--get); } .post { color: var(--post); } .patch { color: var(--patch); } .put { color: var(--put); } .delete { color: var(--delete); }
.status { font-weight: 600; }
.good { color: var(--good); }
.bad { color: var(--bad); }
details { margin: .4rem 0; }
summary { cursor: pointer; color: var(--link); }
.try > summary { display: inline-block; padding: .15rem .8rem; border: 1px solid currentColor; border-radius: .3rem; font-weight: 600; }
.try[open], #credentials { padding: .9rem 1rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--side); }
#credentials { margin: 1.25rem 0; }
.inputs { display: grid; grid-template-columns: minmax(9rem, max-content) 1fr; gap: .4rem .8rem; align-items: center; margin: .7rem 0; }
input, select, textarea, button { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: .3rem; padding: .25rem .5rem; }
textarea { width: 100%; min-height: 12rem; font: .85rem/1.45 ui-monospace, Menlo, Consolas, monospace; white-space: pre; overflow: auto; }
button { cursor: pointer; padding: .25rem 1rem; }
button.send { border-color: var(--link); color: var(--link); font-weight: 600; }
.answer { margin-top: .8rem; }
@media (max-width: 80rem) {
  .beside { grid-template-columns: minmax(0, 1fr); }
  .samples { position: static; max-height: none; margin-top: 1rem; }
}
@media (max-width: 60rem) {
  nav { position: static; width: auto; padding: .9rem 1.25rem; border-right: 0; border-bottom: 1px solid var(--line); }
  #menu + label { display: block; padding: .3rem 0; color: var(--link); cursor: pointer; }
  #menu { display: block; position: absolute; opacity: 0; }
  #menu:focus-visible + label { outline: 2px solid var(--link); }
  #menu + label::before { content: "▸ "; }
  #menu:checked + label::before { content: "▾ "; }
  #menu:not(:checked) ~ .contents, #menu:not(:checked) ~ input { display: none; }
  main { margin: 0; padding: 1.25rem; }
  .inputs { grid-template-columns: 1fr; }
}
@media print { nav, .try, #credentials { display: none; } main { margin: 0; max-width: none; } }
`

/** A check mark. It is part of this file, so that no image is loaded from elsewhere. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#0b57b8"/><path d="M8 17l5 5 11-12" fill="none" stroke="#fff" stroke-width="4"/></svg>
`
