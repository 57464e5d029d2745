/** Limits of an event and of what is sent beside it, wherever one is taken: analyses, cases and workspaces (CONTRACT.md#limits). */

/** Of an event, in bytes of UTF-8; a character has at least one, so that a schema can ask for as much. */
export const EVENT_BYTES = 8 * 1024 * 1024
export const LOCATION_CHARACTERS = 512
export const SESSION_ID_CHARACTERS = 128
