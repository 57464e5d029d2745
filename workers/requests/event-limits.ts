/** Limits of an event and of the fields beside it, for analyses, cases and workspaces. */

/** Bytes of UTF-8. A character has at least one byte, so a schema can use the same number as `maxLength`. */
export const EVENT_BYTES = 8 * 1024 * 1024
export const LOCATION_CHARACTERS = 512
export const SESSION_ID_CHARACTERS = 128
