/**
 * Access tokens: JWTs that reference a session. A token is valid only if the session (`jti`) is live too. The algorithm is pinned, so a token can't choose
 * another, `none` included.
 */
import { createSecretKey, type KeyObject } from 'node:crypto'
import jwt from 'jsonwebtoken'

const ALGORITHM = 'HS256'
export const ISSUER = 'detection-content'
export const AUDIENCE = 'detection-content/api/v1'
/** How far the clock of another instance may be ahead. Expiry has no tolerance: sessions last hours. */
const SKEW_SECONDS = 60
/** Longer than any token of the service, which has about 400 characters. */
const TOKEN_CHARACTERS = 2048

/** Claims of a token. */
export interface TokenClaims {
  readonly userId: string
  readonly sessionId: string
  readonly organizationId: string | null
  readonly issuedAt: Date
  readonly expiresAt: Date
}

export class AccessTokens {
  /** Key objects: for raw bytes the library would try to parse a public key on every token. The first key signs. */
  readonly #keys: readonly [KeyObject, ...KeyObject[]]
  readonly #clock: () => number

  /** @param clock milliseconds since the epoch @param previous keys that are accepted but sign nothing */
  constructor(key: Buffer, clock: () => number = Date.now, previous: readonly Buffer[] = []) {
    this.#keys = [createSecretKey(key), ...previous.map((older) => createSecretKey(older))]
    this.#clock = clock
  }

  sign({ userId, sessionId, organizationId, issuedAt, expiresAt }: TokenClaims): string {
    const claims = { sub: userId, jti: sessionId, org: organizationId, iat: seconds(issuedAt.getTime()), exp: seconds(expiresAt.getTime()), iss: ISSUER, aud: AUDIENCE }
    return jwt.sign(claims, this.#keys[0], { algorithm: ALGORITHM })
  }

  /** Null: not a token of this service, or expired. */
  verify(token: string): TokenClaims | null {
    if (token.length > TOKEN_CHARACTERS) return null
    for (const key of this.#keys) {
      const claims = this.#verify(token, key)
      if (claims !== null) return claims
    }
    return null
  }

  #verify(token: string, key: KeyObject): TokenClaims | null {
    const now = seconds(this.#clock())
    try {
      const claims = jwt.verify(token, key, { algorithms: [ALGORITHM], issuer: ISSUER, audience: AUDIENCE, clockTimestamp: now })
      if (typeof claims === 'string') return null
      const { sub, jti, iat, exp } = claims
      const org: unknown = claims.org
      if (typeof sub !== 'string' || typeof jti !== 'string' || typeof iat !== 'number' || typeof exp !== 'number' || iat > now + SKEW_SECONDS) return null
      if (org !== null && typeof org !== 'string') return null
      return { userId: sub, sessionId: jti, organizationId: org, issuedAt: new Date(iat * 1000), expiresAt: new Date(exp * 1000) }
    } catch {
      // Every error of the library is caused by the caller's input.
      return null
    }
  }
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}
