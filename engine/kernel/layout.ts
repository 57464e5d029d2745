/** Where things lie in the memory of the kernel, as byte addresses, and what its functions answer. */

/** Bytes that a function may read behind a text. */
export const SLACK = 64
/** The bytes of the last short text. */
export const FIELD_TEXT = 0
export const FIELD_ROOM = 512
/** The bytes of the last text that is longer. */
export const LOG_TEXT = 1024
export const LOG_ROOM = 65536
/** Classes of OSRegex of each byte, two bytes each. */
export const CLASSES = 67584
/** For each slot the number of the last scan that met a window of it, one byte each. */
export const MET = 68096
export const SLOT_BITS = 14
/** Saved points of the OSRegex machine: the item and the offset of each. */
export const SAVED = 84480
/** Number of the last scan. */
export const SCAN_NUMBER = 84544
/** Bytes that the failed attempts of the last run have read. */
export const WALKED = 84548
/** Number of marks of the program that the last search found. */
export const FOUND_MARKS = 84552
/** Marks of the last run; unset is -1. A pattern has at most one for each of its bytes. */
export const MARKS = 84608
export const MARKS_LIMIT = 20480
/** Slots of the last run of a PCRE2 program: where its groups begin and end. */
export const SLOTS = 166528
export const SLOTS_LIMIT = 1024
/** The frames of that run. */
export const STACK = 170752
export const STACK_ROOM = 262144
/** The bytes of the last subject of PCRE2, which are not folded. */
export const SUBJECT_TEXT = 433152
/** The state of the flattening of a JSON text, one word each: the offset; the nodes of the open object, of its last member and of the member that is read; the depth. */
export const JSON_AT = 507904
export const JSON_PARENT = 507908
export const JSON_PREVIOUS = 507912
export const JSON_NODE = 507916
export const JSON_DEPTH = 507920
/** Number of fields so far, and the hash of their ids. */
export const JSON_COUNT = 507924
export const JSON_HASH = 507928
/** Address of the slots of the known names, and their number less one. */
export const JSON_NAMES = 507932
export const JSON_NAMES_MASK = 507936
/** The closing bytes of the open containers inside an array. */
export const JSON_OPEN = 507968
export const JSON_NESTING_LIMIT = 1000
/** The fields: ids of their nodes, and where their values begin and end. A member takes five bytes, so a text in the log room has fewer. */
export const JSON_IDS = 508992
export const JSON_STARTS = 562240
export const JSON_ENDS = 615488
export const JSON_FIELDS_LIMIT = 13312
/** The last string whose escapes were read; an escape is longer than its bytes. */
export const UNESCAPED = 668736
/** From here on the memory is given out. */
export const HEAP = 737280

/** No end is known yet. */
export const NONE = -0x40000000
/** The pattern does not match. */
export const NO_MATCH = -0x40000001
/** A capture ends before it begins, which crashes the reference engine or makes the search fail. Here the search fails. */
export const UNSOUND = -0x40000002
