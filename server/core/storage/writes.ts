/** The methods of a collection that create the writes of a commit. They are the same for every store, because writes are plain data. */
import type { Filter, StoredDocument, Update, Write, WriteOptions } from './contract.js'

export abstract class CollectionWrites<T extends StoredDocument> {
  protected readonly name: string

  constructor(name: string) {
    this.name = name
  }

  inserting(document: T): Write {
    return { collection: this.name, operation: { kind: 'insert', document } }
  }

  updating(filter: Filter<T>, update: Update<T>, { optional = false }: WriteOptions = {}): Write {
    return this.#updating(filter, update, { many: false, optional })
  }

  updatingMany(filter: Filter<T>, update: Update<T>): Write {
    return this.#updating(filter, update, { many: true, optional: true })
  }

  deleting(filter: Filter<T>, { optional = false }: WriteOptions = {}): Write {
    return this.#deleting(filter, { many: false, optional })
  }

  deletingMany(filter: Filter<T>): Write {
    return this.#deleting(filter, { many: true, optional: true })
  }

  #updating(filter: Filter<T>, update: Update<T>, options: { many: boolean; optional: boolean }): Write {
    return { collection: this.name, operation: { kind: 'update', filter: filter as Filter<StoredDocument>, update: update as Update<StoredDocument>, ...options } }
  }

  #deleting(filter: Filter<T>, options: { many: boolean; optional: boolean }): Write {
    return { collection: this.name, operation: { kind: 'delete', filter: filter as Filter<StoredDocument>, ...options } }
  }
}
