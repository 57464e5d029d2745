/** Names and addresses that stand for others: those for documentation (RFC 5737, RFC 3849, RFC 2606), and local hardware addresses. */

/** Networks for documentation, one after the other; beyond them addresses for tests of devices (RFC 2544). */
const NETWORKS = ['192.0.2', '198.51.100', '203.0.113'] as const
/** Hosts of a network. */
const HOSTS = 254

export const STAND_INS = {
  mail: (index: number): string => `person${index}@example.com`,
  mac: (index: number): string => `02:00:00:00:${hex(index >> 8)}:${hex(index & 0xff)}`,
  ipv4: (index: number): string => {
    const network = Math.floor((index - 1) / HOSTS)
    const host = ((index - 1) % HOSTS) + 1
    return network < NETWORKS.length ? `${NETWORKS[network]}.${host}` : `198.18.${network & 0xff}.${host}`
  },
  ipv6: (index: number): string => `2001:db8::${index.toString(16)}`,
  name: (index: number): string => `name${index}`,
} as const

function hex(byte: number): string {
  return (byte & 0xff).toString(16).padStart(2, '0')
}
