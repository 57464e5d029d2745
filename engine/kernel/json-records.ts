/** What the functions of the kernel that read JSON answer and are asked, and how the records about names and shapes are packed (`json/path-table.ts`). */

/** Where flattening goes on: at a `{`, after the name of a member, or after its value. */
export const AT_START = 0
export const AFTER_NAME = 1
export const AFTER_VALUE = 2

/** Why it stopped: the object ended, the text is no JSON, or a name or value has to be read in another way. */
export const DONE = 0
export const INVALID = -1
export const NAME = 1
export const VALUE = 2

/** What becomes of nulls and arrays, as bits: fields; without a bit for arrays the caller reads each of them. */
export const NULLS_ARE_FIELDS = 1
export const ARRAYS_ARE_FIELDS = 2
export const ARRAYS_ARE_SKIPPED = 4

/** Slots of a table that are looked at for one record. What is not found there is new to the kernel, and so costs no more for names with equal hashes. */
export const MOST_PROBES = 64

/** A node is a known name in an object: the size of the name with its closing quote, 0 for one that is never compared; and the number of the path. */
export const NODE_SIZE = 0
export const NODE_ID = 4
/** The last two first members of its object, the most recent first, and the last two members that followed it. */
export const NODE_FIRST = 8
export const NODE_NEXT = 16
export const NODE_PARENT = 24
export const NODE_HASH = 28
/** The name and its closing quote. */
export const NODE_NAME = 32
/** Bytes behind a name that a comparison reads. */
export const NAME_SLACK = 16

/** A shape is the ids of the fields that a text had: their hash and number, the number of the shape, and the ids, and zeros up to a multiple of sixteen bytes. */
export const SHAPE_HASH = 0
export const SHAPE_COUNT = 4
export const SHAPE_NUMBER = 8
export const SHAPE_IDS = 16

/** Factor of the hash of ids. */
export const HASH_FACTOR = -0x61c8864f
