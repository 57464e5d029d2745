/** Values that fields of a name have in real logs. Addresses are those for documentation (RFC 5737, RFC 3849), and private ones. */

export const ADDRESSES = ['203.0.113.7', '198.51.100.20', '192.0.2.9', '10.1.2.3', '192.168.1.20', '172.16.0.5', '127.0.0.1', '8.8.8.8', '2001:db8::7'] as const

/** @param round another round has another value */
export function usualValue(name: string, round = 0): string {
  const lower = name.toLowerCase()
  const numbered = (text: string): string => (round === 0 ? text : `${text}${round}`)
  if (/(?:^|[._])(?:src|source|client|remote|peer).*ip|^srcip$|ipaddress|(?:^|[._])ip$|addr/.test(lower)) return `203.0.113.${7 + round}`
  if (/ip$/.test(lower)) return `198.51.100.${20 + round}`
  if (/port$/.test(lower)) return String(50122 + round)
  if (/user_?agent/.test(lower)) return numbered('Mozilla/5.0')
  if (/referer/.test(lower)) return round === 0 ? 'https://www.example.com/' : `https://www.example.com/${round}`
  if (/user|account|login/.test(lower)) return numbered('alice')
  if (/^ur[il]$|url$/.test(lower)) return round === 0 ? '/index.html' : `/index${round}.html`
  if (/path|image|file/.test(lower)) return round === 0 ? '/srv/data/report.txt' : `/srv/data/report${round}.txt`
  if (/status|code/.test(lower)) return String(200 + round)
  if (/(?:^|[._])p?id$|number|size|count|bytes/.test(lower)) return String(4711 + round)
  if (lower === 'method') return round % 2 === 0 ? 'GET' : 'POST'
  if (/protocol/.test(lower)) return round % 2 === 0 ? 'tcp' : 'udp'
  if (/action/.test(lower)) return 'deny'
  if (/host|system_name|domain/.test(lower)) return `host${1 + round}`
  return numbered('value')
}

/** Values for places that do not accept the usual one. */
export function fillersOf(round: number): readonly string[] {
  return [
    `value${round}`,
    `203.0.113.${7 + round}`,
    String(4711 + round),
    `10:11:1${round % 10}`,
    `host${round + 1}.example.com`,
    'alice',
    'tcp',
    'GET',
    String(1 + round),
    'a',
    '-',
  ]
}

/** Beginnings that make a searched value look like its kind. */
export function beginningsOf(name: string): readonly string[] {
  return /^ur[il]$|url$/i.test(name) ? ['/index.php', '/'] : []
}
