/** Bytes of JSON's grammar, and cJSON's limit on it. */
import { JSON_NESTING_LIMIT } from '../kernel/layout.js'

export const QUOTE = 0x22
export const COMMA = 0x2c
export const MINUS = 0x2d
export const COLON = 0x3a
export const OPEN_BRACKET = 0x5b
export const BACKSLASH = 0x5c
export const CLOSE_BRACKET = 0x5d
export const LETTER_U = 0x75
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d

/** Nested arrays and objects. */
export const NESTING_LIMIT = JSON_NESTING_LIMIT
