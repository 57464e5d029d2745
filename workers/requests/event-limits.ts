/** Limits of an event and of the fields beside it, for analyses, cases and workspaces, and of the files of a request. */

/** Bytes of UTF-8. A character has at least one byte, so a schema can use the same number as `maxLength`. */
export const EVENT_BYTES = 8 * 1024 * 1024
/** Characters and names of the fields that a batch selects: some thirty columns, and fields of events. */
export const SELECT_CHARACTERS = 4096
export const SELECTED_LIMIT = 128
export const LOCATION_CHARACTERS = 512
export const SESSION_ID_CHARACTERS = 128

/** Maximum size of all files of a request together, in bytes of UTF-8. */
export const RULESET_BYTES = 8 * 1024 * 1024
/** Wazuh's own ruleset has some 160 files, and that of a large company a few hundred more. */
export const FILES_LIMIT = 1_000
