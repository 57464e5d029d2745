/** Stored password resets. The id is the hash of the token, so that a reader of the database cannot use it. */
import { type Collection, platformCollection, type Storage, type StoredDocument, type Write } from '../../../core/storage/contract.js'

export interface PasswordResetDocument extends StoredDocument {
  readonly user_id: string
  readonly created_at: Date
  readonly expires_at: Date
}

export const PASSWORD_RESETS = platformCollection<PasswordResetDocument>('password_resets', [{ keys: { user_id: 1 } }, { keys: { expires_at: 1 }, expireAfterSeconds: 0 }])

export class PasswordResetStore {
  readonly #documents: Collection<PasswordResetDocument>

  constructor(storage: Storage) {
    this.#documents = storage.open(PASSWORD_RESETS)
  }

  byHash(hash: string): Promise<PasswordResetDocument | null> {
    return this.#documents.findOne({ _id: hash })
  }

  adding(reset: PasswordResetDocument): Write {
    return this.#documents.inserting(reset)
  }

  /** Returns the write that uses a token. If two requests use it concurrently, one fails. */
  using(hash: string): Write {
    return this.#documents.deleting({ _id: hash })
  }

  discardingAllOf(userId: string): Write {
    return this.#documents.deletingMany({ user_id: userId })
  }
}
