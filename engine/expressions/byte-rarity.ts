/** Bytes of folded logs in descending frequency, counted in events of many kinds; all others are rarer. */
const BY_FREQUENCY = 'e"ts iarno0cd:\\1m2lup,-4f5.36hgw897ybv=_xz}{/k\'[]jq)(%+;$@|>\t<*&?#!~`^'

/** Rank of each byte: the higher, the rarer. */
export const RARITY = new Uint8Array(256).fill(BY_FREQUENCY.length)
for (let rank = 0; rank < BY_FREQUENCY.length; rank++) RARITY[BY_FREQUENCY.charCodeAt(rank)] = rank

/** Bytes of at least this rank are missing in most logs, so that one alone excludes a pattern. */
export const RARE_ALONE = RARITY[')'.charCodeAt(0)]
