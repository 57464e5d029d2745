/** Addresses of `<srcip>` and `<dstip>` (BEHAVIOUR.md#addresses): what is accepted, and how IPv4 and IPv6 are compared. */

/** One entry of a list. `any` matches every valid address. */
export type AddressEntry =
  | { readonly family: 'any' }
  | { readonly family: 4; readonly address: number; readonly mask: number }
  | { readonly family: 6; readonly address: readonly number[]; readonly mask: readonly number[] }

const MAPPED_PREFIX = /^::ffff:/i
const OCTET = '(?:0|[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5])'
const QUAD = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`)

/** Parses an entry; null if the reference engine refuses it. A leading `!` is ignored, as in the reference engine. */
export function parseAddressEntry(text: string): AddressEntry | null {
  const written = text.startsWith('!') ? text.slice(1) : text
  if (written === 'any') return { family: 'any' }
  const slash = written.indexOf('/')
  const host = (slash < 0 ? written : written.slice(0, slash)).replace(MAPPED_PREFIX, (prefix) => (QUAD.test(written.slice(prefix.length).split('/')[0]) ? '' : prefix))
  const prefix = slash < 0 ? null : written.slice(slash + 1)
  if (QUAD.test(host)) {
    const mask = prefix === null ? 0xffffffff : maskOf(prefix)
    return mask === null ? null : { family: 4, address: (quad(host) & mask) >>> 0, mask }
  }
  const bytes = parseIpv6(host)
  if (bytes === null) return null
  if (prefix !== null && (!/^[0-9]{1,3}$/.test(prefix) || Number(prefix) > 128 || host === '::')) return null
  const bits = prefix === null ? 128 : Number(prefix)
  const mask = Array.from({ length: 16 }, (_, i) => 0xff & (0xff00 >> Math.max(0, Math.min(8, bits - 8 * i))))
  return { family: 6, address: bytes.map((byte, i) => byte & mask[i]), mask }
}

function maskOf(prefix: string): number | null {
  if (/^(?:[0-9]|[12][0-9]|3[0-2])$/.test(prefix)) return prefix === '0' ? 0 : (0xffffffff << (32 - Number(prefix))) >>> 0
  return QUAD.test(prefix) ? quad(prefix) : null
}

function quad(text: string): number {
  return text.split('.').reduce((sum, part) => ((sum << 8) | Number(part)) >>> 0, 0)
}

/** Returns the 16 bytes of an address in full or compressed form; no embedded IPv4, no zone. */
function parseIpv6(text: string): number[] | null {
  const halves = text.split('::')
  if (halves.length > 2) return null
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')))
  for (const group of groups.flat()) if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return null
  const count = groups.flat().length
  if (halves.length === 1 ? count !== 8 : count > 7) return null
  const [head, tail] = [groups[0], groups[1] ?? []]
  const all = [...head, ...new Array<string>(8 - count).fill('0'), ...tail].slice(0, 8)
  return all.flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}

/** A value, unlike an entry, may end in an embedded IPv4 address in place of two groups; it is an IPv6 address. */
function parseIpv6Value(text: string): number[] | null {
  const tail = text.lastIndexOf(':') + 1
  const embedded = text.slice(tail)
  if (!QUAD.test(embedded)) return parseIpv6(text)
  const address = quad(embedded)
  return parseIpv6(`${text.slice(0, tail)}${(address >>> 16).toString(16)}:${(address & 0xffff).toString(16)}`)
}

/** Whether the entry matches every IPv4 address. Wazuh's result for IPv6 values is undefined then (BEHAVIOUR.md#addresses); here they never match. */
export function holdsAllIpv4(entry: AddressEntry): boolean {
  return entry.family === 4 && entry.mask === 0
}

/** Whether the address (any text) is in the list. A text that is not an address is in no list. */
export function inAddressList(value: string, entries: readonly AddressEntry[]): boolean {
  if (QUAD.test(value)) {
    const address = quad(value)
    return entries.some((entry) => {
      if (entry.family === 'any') return true
      if (entry.family === 4) return (address & entry.mask) >>> 0 === entry.address
      // Quirk: the bytes of the IPv6 entry are read as an IPv4 address and mask.
      const octets = [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff)
      return octets.every((octet, i) => (octet & entry.address[4 + i]) === entry.address[i])
    })
  }
  const bytes = parseIpv6Value(value)
  if (bytes === null) return false
  return entries.some((entry) => entry.family === 'any' || (entry.family === 6 && bytes.every((byte, i) => (byte & entry.mask[i]) === entry.address[i])))
}
