/** What the kernel exports. */
export { readsOsRegex, searchOsRegex } from './osregex'
export { holds, indexOfLiteral, nextOf, scan } from './scan'
export { fold } from './texts'
export { searchPcre2 } from './pcre2'
export { flatten } from './json-flatten'
export { nameHash } from './json-names'
export { findShape } from './json-shapes'
export { unescapeString } from './json-unescape'
