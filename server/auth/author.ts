/** Who did something, as it is kept with what they did, and shown to others later. */
import type { Principal } from './principal.js'
import type { Users } from './users.js'

export type AuthorType = 'user' | 'api_key'

export interface Author {
  readonly id: string
  readonly type: AuthorType
  /** A user's display name, or a key's name, as it is now. */
  readonly name: string
}

export async function authorOf(users: Pick<Users, 'byId'>, principal: Principal): Promise<Author> {
  if (principal.kind === 'api_key') return { id: principal.keyId, type: 'api_key', name: principal.name }
  const user = await users.byId(principal.userId)
  return { id: principal.userId, type: 'user', name: user?.display_name ?? principal.email }
}
