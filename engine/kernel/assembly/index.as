/** What the kernel exports. */
export { findHeader } from './headers'
export { testOsMatch } from './osmatch'
export { readsOsRegex, searchOsRegex } from './osregex'
export { searchPcre2 } from './pcre2'
export { receive } from './receive'
export { holds, indexOfLiteral, nextOf, scan } from './scan'
export { fold } from './texts'
