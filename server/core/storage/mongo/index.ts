/** The entry point of the store on MongoDB 6 or later, which must be a replica set or a sharded cluster. */
import type { Storage } from '../contract.js'
import { openStorage } from './storage.js'

/** Opens the store. @throws StorageUnavailableError when MongoDB does not respond, MongoAddressError for an invalid URL or a refused user, StandaloneMongoError */
export const openMongoStorage = (options: { readonly url: string }): Promise<Storage> => openStorage(options.url)
