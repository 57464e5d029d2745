/** Password resets that were mailed. A document's id is the hash of its token: whoever reads the database can use none. */
import { type Collection, platformCollection, type Storage, type StoredDocument, type Write } from '../../storage/contract.js'

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

  /** Of two who use it at once, one comes through. */
  using(hash: string): Write {
    return this.#documents.deleting({ _id: hash })
  }

  discardingAllOf(userId: string): Write {
    return this.#documents.deletingMany({ user_id: userId })
  }
}
