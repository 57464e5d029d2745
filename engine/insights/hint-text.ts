/** Bytes of a text of the event, or of a pattern, in a hint: a hint has a line or two. */
export const HINT_TEXT = 120
