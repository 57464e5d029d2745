/**
 * Decides whether an address is public: reachable over the Internet and not part of the service's network. IPv4 uses a list of special addresses (IANA
 * registry). IPv6 uses the opposite, because only one eighth of it is allocated. An IPv6 address that embeds an IPv4 address (mapped, NAT64, 6to4) is judged by
 * that one.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

const SPECIAL_IPV4: readonly (readonly [network: string, bits: number])[] = [
  ['0.0.0.0', 8], // this host, this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT; Alibaba's metadata
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's host, which is a public address by the book
  ['169.254.0.0', 16], // link-local; the metadata of most clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments; Oracle's metadata
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
]

/** Special networks within that eighth. */
const SPECIAL_IPV6: readonly (readonly [network: string, bits: number])[] = [
  ['2001::', 23], // protocol assignments: Teredo, ORCHID
  ['2001:db8::', 32], // documentation
  ['3fff::', 20], // documentation
]

const specialIpv4 = new BlockList()
for (const [network, bits] of SPECIAL_IPV4) specialIpv4.addSubnet(network, bits, 'ipv4')

const specialIpv6 = new BlockList()
for (const [network, bits] of SPECIAL_IPV6) specialIpv6.addSubnet(network, bits, 'ipv6')

const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

/** Whether the address is public. Invalid addresses and addresses with a zone are not. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !specialIpv4.check(address, 'ipv4')
  if (!isIPv6(address) || address.includes('%')) return false
  const bytes = bytesOf(address)
  const embedded = embeddedIpv4(bytes)
  if (embedded !== null) return !specialIpv4.check(embedded, 'ipv4')
  return globalUnicast.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6')
}

/** The embedded IPv4 address, in the forms that a network may translate to IPv4. */
function embeddedIpv4(bytes: Uint8Array): string | null {
  const begins = (...prefix: readonly number[]): boolean => prefix.every((byte, at) => bytes[at] === byte)
  const at = (start: number): string => bytes.subarray(start, start + 4).join('.')
  // ::ffff:a.b.c.d
  if (begins(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff)) return at(12)
  // 64:ff9b::a.b.c.d
  if (begins(0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0)) return at(12)
  // 2002:aabb:ccdd::
  return begins(0x20, 0x02) ? at(2) : null
}

/** @param address an IPv6 address without a zone */
function bytesOf(address: string): Uint8Array {
  const dotted = /[\d.]+$/.exec(address)?.[0] ?? ''
  const text = dotted.includes('.') ? address.slice(0, -dotted.length) + groupsOf(dotted) : address
  const [head, tail] = text.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right].map((group) => Number.parseInt(group, 16))
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]))
}

function groupsOf(dotted: string): string {
  const [a, b, c, d] = dotted.split('.').map(Number)
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}
