/** Where things lie in the memory of the kernel, as byte addresses, and what its functions answer. */

/** Bytes that a function may read behind a text. */
export const SLACK = 64
/** The bytes of the last short text. */
export const FIELD_TEXT = 0
export const FIELD_ROOM = 512
/** The folded log of the event that runs. */
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
/** Slots of the last run of a PCRE2 program: where its groups begin and end. */
export const SLOTS = 166528
export const SLOTS_LIMIT = 1024
/** The frames of that run. */
export const STACK = 170752
export const STACK_ROOM = 262144
/** The bytes of the received text, or of another text that is not folded. */
export const RECEIVED_TEXT = 433152
/** The bytes of the last other text that is longer than a field. */
export const OTHER_TEXT = 498752

/** What `receive` finds: the length of the text up to a NUL, where its timestamp and its log are, and whether the byte before the log is kept. */
export const RECEIVED_LENGTH = 564352
export const TIME_START = 564356
export const TIME_END = 564360
export const LOG_START = 564364
export const LOG_END = 564368
export const FOLLOWS_BYTE = 564372
/** Where host and program are, -1: there is none; the number of the program, with NAME_SLOTS added if it is new, -1: the name is too long for one. */
export const HOST_START = 564376
export const HOST_END = 564380
export const PROGRAM_START = 564384
export const PROGRAM_END = 564388
export const PROGRAM_NUMBER = 564392
/** For each byte whether names of hosts and programs have it. */
export const NAME_BYTES = 564416
/** The known names of programs: the length of each and 28 bytes, of which a name has up to NAME_LIMIT. */
export const NAMES = 564672
export const NAME_SLOTS = 256
export const NAME_LIMIT = 24
/** The state of the flattening of a JSON text, one word each: the offset; the nodes of the open object, of its last member and of the member that is read; the depth. */
export const JSON_AT = 573440
export const JSON_PARENT = 573444
export const JSON_PREVIOUS = 573448
export const JSON_NODE = 573452
export const JSON_DEPTH = 573456
/** Number of fields so far, and the hash of their ids. */
export const JSON_COUNT = 573460
export const JSON_HASH = 573464
/** Address of the slots of the known names, and their number less one. */
export const JSON_NAMES = 573468
export const JSON_NAMES_MASK = 573472
/** The closing bytes of the open containers inside an array. */
export const JSON_OPEN = 573504
export const JSON_NESTING_LIMIT = 1000
/** The fields: ids of their nodes, and where their values begin and end. A member takes five bytes, so a text in the log room has fewer. */
export const JSON_IDS = 574528
export const JSON_STARTS = 627776
export const JSON_ENDS = 681024
export const JSON_FIELDS_LIMIT = 13312
/** The last string whose escapes were read; an escape is longer than its bytes. */
export const UNESCAPED = 734272
/** From here on the memory is given out. */
export const HEAP = 802816

/** No end is known yet. */
export const NONE = -0x40000000
/** The pattern does not match. */
export const NO_MATCH = -0x40000001
/** A capture ends before it begins, which crashes the reference engine or makes the search fail. Here the search fails. */
export const UNSOUND = -0x40000002
