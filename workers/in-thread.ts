/** The entry for programs that run the engine in their own thread, in Node or in a browser: the command line and the playground. Nothing here needs Node. */
export { scopeOf } from './content/compose.js'
export { areSame, IncrementalCompiler, isSameFile } from './content/incremental-compiler.js'
export { LayeredContent } from './content/layered-content.js'
export { compileContents } from './replay/compile-contents.js'
export { FILES_LIMIT, RULESET_BYTES } from './requests/event-limits.js'
export { momentAt, momentNow, now } from './shared/clock.js'
