/** Names of domains in one form, so that two spellings of a domain are one claim. */
import { domainToASCII } from 'node:url'

/** RFC 1035: characters of a name, as text. */
export const DOMAIN_CHARACTERS = 253

/** Where a host ends or is encoded in an address: Node.js reads what is before it, or what it stands for. Control characters are left out there. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const NOT_OF_A_NAME = /[/\\?#:@%\x00-\x20\x7f]/

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** At least two labels, the last one without a leading digit: no address is a name. */
const NAME = new RegExp(`^(?:${LABEL}\\.)+(?=[a-z])${LABEL}$`)

/**
 * Domains under which anyone can get a mailbox. A claim of one is a mistake, and a provider for one would be shown to every user of it. The list has the largest
 * services only: a claim needs a DNS record, which nobody but the operator of the domain can create.
 */
const SHARED: ReadonlySet<string> = new Set(
  [
    'gmail.com googlemail.com outlook.com hotmail.com live.com msn.com passport.com yahoo.com yahoo.com.br yahoo.co.uk yahoo.co.jp ymail.com rocketmail.com aol.com',
    'icloud.com me.com mac.com proton.me protonmail.com pm.me tutanota.com tuta.io fastmail.com hey.com zoho.com zohomail.com mail.com email.com gmx.com gmx.de gmx.net',
    'web.de t-online.de freenet.de mailbox.org posteo.de orange.fr wanadoo.fr free.fr laposte.net sfr.fr libero.it virgilio.it tiscali.it hotmail.co.uk hotmail.fr',
    'hotmail.com.br outlook.com.br live.com.pt bol.com.br uol.com.br terra.com.br ig.com.br globo.com globomail.com r7.com sapo.pt yandex.ru yandex.com mail.ru bk.ru',
    'list.ru inbox.ru rambler.ru qq.com foxmail.com 163.com 126.com sina.com naver.com daum.net hanmail.net rediffmail.com comcast.net verizon.net att.net',
    'mailinator.com guerrillamail.com',
  ].flatMap((line) => line.split(' ')),
)

/** The lower-case ASCII form of a domain (IDNA); null: the text is no domain. */
export function domainOf(text: string): string | null {
  const trimmed = text.trim().replace(/\.$/, '')
  if (NOT_OF_A_NAME.test(trimmed)) return null
  const name = domainToASCII(trimmed).toLowerCase()
  return name.length <= DOMAIN_CHARACTERS && NAME.test(name) ? name : null
}

/** The domain of an e-mail address, in the form of `domainOf`; null: it has none that can be claimed. */
export function domainOfEmail(email: string): string | null {
  return domainOf(email.slice(email.lastIndexOf('@') + 1))
}

/** Whether anyone can get an address of the domain. @param domain as `domainOf` returns it */
export function isSharedDomain(domain: string): boolean {
  return SHARED.has(domain)
}
