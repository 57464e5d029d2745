/** What proxies tell of the caller. Only those of `TRUSTED_PROXIES` are believed: anyone can write the headers. */
import type { IncomingMessage } from 'node:http'
import { type BlockList, isIP } from 'node:net'

export type TrustedProxies = Pick<BlockList, 'check'> | null

/** Proxies in a row; a longer header was not written by ours. */
const HOPS_LIMIT = 32
const UNKNOWN_ADDRESS = '0.0.0.0'

/** The rightmost address that is not of a trusted proxy: what stands further left is the caller's own claim. */
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

/** Host and port under which the caller knows us; empty: not told. */
export function requestHost(req: IncomingMessage, proxies: TrustedProxies): string {
  return (forwarded(req, 'x-forwarded-host', proxies) ?? req.headers.host ?? '').toLowerCase()
}

/** What the nearest proxy wrote, if it is trusted. */
function forwarded(req: IncomingMessage, name: string, proxies: TrustedProxies): string | null {
  if (proxies === null || !isTrustedProxy(socketAddress(req.socket.remoteAddress ?? ''), proxies)) return null
  const value = headerOf(req, name).split(',').at(-1)?.trim().toLowerCase()
  return value ? value : null
}

function headerOf(req: IncomingMessage, name: string): string {
  const value = req.headers[name]
  return (Array.isArray(value) ? value.join(',') : value) ?? ''
}

/** The other end of a connection, in the form in which addresses are compared. @param address as the socket tells it; empty: it is closed */
export function socketAddress(address: string): string {
  return normalAddress(address) ?? UNKNOWN_ADDRESS
}

/** Whether what stands in its headers is believed. */
export function isTrustedProxy(address: string, proxies: TrustedProxies): boolean {
  return proxies?.check(address, address.includes(':') ? 'ipv6' : 'ipv4') ?? false
}

/** Without port, brackets, zone and the IPv6 dress of an IPv4 address; null: no address. */
function normalAddress(text: string): string | null {
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^(\d[\d.]*):\d{1,5}$/.exec(text)?.[1] ?? text
  const address = bare
    .toLowerCase()
    .replace(/%.*$/s, '')
    .replace(/^::ffff:(?=\d+\.)/, '')
  return isIP(address) === 0 ? null : address
}

/** By which an unauthenticated caller is counted: an IPv6 caller has a whole /64 to choose addresses from. */
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
