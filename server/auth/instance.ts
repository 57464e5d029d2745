/** The one document of the whole installation. That it is there means that the bootstrap is over. */
import { type Collection, platformCollection, type Storage, type StoredDocument, type Write } from '../storage/contract.js'

export interface InstanceDocument extends StoredDocument {
  /** The first user; null: someone registered before there was a bootstrap, so the instance was not empty any more. */
  readonly bootstrapped_by: string | null
  /** Counts deactivations of platform admins. The commit of each matches and increments it, so that two at once can't leave no admin. */
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

  /** For the commit of a bootstrap: of many at once, one succeeds. @throws DuplicateKeyError, by the commit */
  bootstrapping(userId: string, now: Date): Write {
    return this.#documents.inserting({ _id: ID, bootstrapped_by: userId, platform_admins_revision: 1, created_at: now })
  }

  /** For the commit of a registration on an empty instance, which ends the bootstrap. @throws DuplicateKeyError, by the commit */
  endingBootstrap(now: Date): Write {
    return this.#documents.inserting({ _id: ID, bootstrapped_by: null, platform_admins_revision: 1, created_at: now })
  }

  /** Refused when platform admins have changed since it was read. */
  changingPlatformAdmins({ platform_admins_revision }: InstanceDocument): Write {
    return this.#documents.updating({ _id: ID, platform_admins_revision }, { increment: { platform_admins_revision: 1 } })
  }
}
