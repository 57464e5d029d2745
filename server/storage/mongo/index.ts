/** The only door: the store on MongoDB >= 6, a replica set, a cluster or a standalone. */
import type { Storage } from '../contract.js'
import { type MongoStorageOptions, openStorage } from './storage.js'

export type { MongoStorageOptions } from './storage.js'

/** @throws StorageUnavailableError when MongoDB isn't there, MongoAddressError for a URL that can't be used */
export const openMongoStorage = (options: MongoStorageOptions): Promise<Storage> => openStorage(options)
