/** The only document of the installation. It exists once the bootstrap is over. */
import { type Collection, platformCollection, type Storage, type StoredDocument, type Write } from '../storage/contract.js'

export interface InstanceDocument extends StoredDocument {
  /** The first user; null: a registration preceded the bootstrap, so the instance was not empty. */
  readonly bootstrapped_by: string | null
  /** Counts deactivations of platform admins. Each commit matches and increments it, so that two concurrent ones can't remove the last admin. */
  readonly platform_admins_revision: number
  readonly created_at: Date
}

export const INSTANCE = platformCollection<InstanceDocument>('instance', [])

const ID = 'instance'

export class Instance {
  readonly #documents: Collection<InstanceDocument>

  constructor(storage: Storage) {
    this.#documents = storage.open(INSTANCE)
  }

  read(): Promise<InstanceDocument | null> {
    return this.#documents.findOne({ _id: ID })
  }

  /** The write that marks the bootstrap as done. Only one of several concurrent commits succeeds. @throws DuplicateKeyError, by the commit */
  bootstrapping(userId: string, now: Date): Write {
    return this.#documents.inserting({ _id: ID, bootstrapped_by: userId, platform_admins_revision: 1, created_at: now })
  }

  /** The write that ends the bootstrap, for a registration on an empty instance. @throws DuplicateKeyError, by the commit */
  endingBootstrap(now: Date): Write {
    return this.#documents.inserting({ _id: ID, bootstrapped_by: null, platform_admins_revision: 1, created_at: now })
  }

  /** The write that changes the platform admins. The commit fails if they have changed since `instance` was read. */
  changingPlatformAdmins({ platform_admins_revision }: InstanceDocument): Write {
    return this.#documents.updating({ _id: ID, platform_admins_revision }, { increment: { platform_admins_revision: 1 } })
  }
}
