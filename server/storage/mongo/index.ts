/** The only door: the store on MongoDB >= 6, a replica set or a sharded cluster. */
import type { Storage } from '../contract.js'
import { openStorage } from './storage.js'

/** @throws StorageUnavailableError when MongoDB isn't there, MongoAddressError for a URL or a user that can't be used, StandaloneMongoError */
export const openMongoStorage = (options: { readonly url: string }): Promise<Storage> => openStorage(options.url)
