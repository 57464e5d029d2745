/** Reads the headers `X-Forwarded-*` of the caller. Only those of `TRUSTED_PROXIES` are used, because every client can send such headers. */
import type { IncomingMessage } from 'node:http'
import { type BlockList, isIP } from 'node:net'

export type TrustedProxies = Pick<BlockList, 'check'> | null

/** Maximum number of chained proxies; a longer header was not written by trusted ones. */
const HOPS_LIMIT = 32
const UNKNOWN_ADDRESS = '0.0.0.0'

/** The rightmost address that does not belong to a trusted proxy: addresses further left are claims of the client. */
export function clientAddress(req: IncomingMessage, proxies: TrustedProxies): string {
  let address = socketAddress(req.socket.remoteAddress ?? '')
  if (!isTrustedProxy(address, proxies)) return address
  const hops = headerOf(req, 'x-forwarded-for').split(',').slice(-HOPS_LIMIT)
  for (const hop of hops.reverse()) {
    const next = normalAddress(hop.trim())
    if (next === null) return address
    address = next
    if (!isTrustedProxy(address, proxies)) return address
  }
  return address
}

/** Whether the caller's own connection is TLS. */
export function isSecureRequest(req: IncomingMessage, proxies: TrustedProxies): boolean {
  if ('encrypted' in req.socket && req.socket.encrypted === true) return true
  return forwarded(req, 'x-forwarded-proto', proxies) === 'https'
}

/** Host and port by which the client addressed the service; empty: unknown. */
export function requestHost(req: IncomingMessage, proxies: TrustedProxies): string {
  return (forwarded(req, 'x-forwarded-host', proxies) ?? req.headers.host ?? '').toLowerCase()
}

/** The value that the nearest proxy wrote; null: that proxy is not trusted. */
function forwarded(req: IncomingMessage, name: string, proxies: TrustedProxies): string | null {
  if (proxies === null || !isTrustedProxy(socketAddress(req.socket.remoteAddress ?? ''), proxies)) return null
  const value = headerOf(req, name).split(',').at(-1)?.trim().toLowerCase()
  return value ? value : null
}

function headerOf(req: IncomingMessage, name: string): string {
  const value = req.headers[name]
  return (Array.isArray(value) ? value.join(',') : value) ?? ''
}

/** The remote address of a connection, in the form in which addresses are compared. @param address as the socket reports it; empty: the socket is closed */
export function socketAddress(address: string): string {
  return normalAddress(address) ?? UNKNOWN_ADDRESS
}

/** Whether the headers of this proxy are used. */
export function isTrustedProxy(address: string, proxies: TrustedProxies): boolean {
  return proxies?.check(address, address.includes(':') ? 'ipv6' : 'ipv4') ?? false
}

/** Removes port, brackets, zone and the IPv6 prefix of an IPv4 address; null: the text is not an address. */
function normalAddress(text: string): string | null {
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^(\d[\d.]*):\d{1,5}$/.exec(text)?.[1] ?? text
  const address = bare
    .toLowerCase()
    .replace(/%.*$/s, '')
    .replace(/^::ffff:(?=\d+\.)/, '')
  return isIP(address) === 0 ? null : address
}

/** The key by which an unauthenticated caller is counted: an IPv6 client can choose addresses from a whole /64. */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address
  const [head, tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const all = [...groups, ...Array<string>(missing).fill('0'), ...(tail ? tail.split(':') : [])]
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
