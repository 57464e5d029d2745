/** Errors of the driver, as callers of the store see them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { MongoBulkWriteError, MongoError, MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb'
import { DocumentTooLargeError, DuplicateKeyError, StorageFullError, StorageUnavailableError } from '../../../../server/core/storage/errors.js'
import { connect, MongoAddressError } from '../../../../server/core/storage/mongo/client.js'
import { translateError } from '../../../../server/core/storage/mongo/failures.js'

const translate = (error: unknown): unknown => translateError(error, 'things', (_, index) => (index === 'dc_a_1_unique' ? ['a'] : undefined))
const ofServer = (code: number, more: object = {}): MongoServerError => new MongoServerError({ message: 'no', code, ...more })

describe('failures of MongoDB', () => {
  it('that are temporary are reported as an unavailable database', () => {
    const codes = {
      HostUnreachable: 6,
      HostNotFound: 7,
      UserNotFound: 11,
      Unauthorized: 13,
      AuthenticationFailed: 18,
      LockTimeout: 24,
      CursorNotFound: 43,
      MaxTimeMSExpired: 50,
      WriteConcernTimeout: 64,
      NetworkTimeout: 89,
      ShutdownInProgress: 91,
      WriteConflict: 112,
      FailedToSatisfyReadPreference: 133,
      QueryPlanKilled: 175,
      PrimarySteppedDown: 189,
      TransactionTooOld: 225,
      CursorKilled: 237,
      NoSuchTransaction: 251,
      ExceededTimeLimit: 262,
      TransactionExceededLifetimeLimitSeconds: 290,
      ReauthenticationRequired: 391,
      SocketException: 9001,
      NotWritablePrimary: 10107,
      InterruptedAtShutdown: 11600,
      Interrupted: 11601,
      InterruptedDueToReplStateChange: 11602,
      NotPrimaryNoSecondaryOk: 13435,
      NotPrimaryOrSecondary: 13436,
    }
    for (const [name, code] of Object.entries(codes)) assert.ok(translate(ofServer(code)) instanceof StorageUnavailableError, name)
    for (const label of ['TransientTransactionError', 'RetryableWriteError', 'UnknownTransactionCommitResult']) {
      const error = new MongoError('no')
      error.addErrorLabel(label)
      assert.ok(translate(error) instanceof StorageUnavailableError, label)
    }
    const named = [
      'MongoPoolClearedError',
      'PoolClearedOnNetworkError',
      'MongoWaitQueueTimeoutError',
      'MongoTopologyClosedError',
      'MongoNotConnectedError',
      'MongoOperationTimeoutError',
    ]
    for (const name of named) {
      const error = new MongoError('no')
      Object.defineProperty(error, 'name', { value: name })
      assert.ok(translate(error) instanceof StorageUnavailableError, name)
    }
    assert.ok(translate(new MongoNetworkError('no')) instanceof StorageUnavailableError)
    assert.ok(translate(new MongoServerSelectionError('no', {} as never)) instanceof StorageUnavailableError)
    assert.ok(translate(Object.assign(new Error('no'), { code: 'ECONNRESET' })) instanceof StorageUnavailableError)
  })

  it('during bulk writes are the same as for single writes', () => {
    const ofMany = (error: Error): MongoBulkWriteError => new MongoBulkWriteError(error as never, {} as never)
    for (const error of [new MongoNetworkError('no'), new MongoServerSelectionError('no', {} as never), Object.assign(new Error('no'), { code: 'EPIPE' }), ofServer(11600)])
      assert.ok(translate(ofMany(error)) instanceof StorageUnavailableError, error.name)
    assert.ok(translate(ofMany(Object.assign(new RangeError('no'), { code: 'ERR_OUT_OF_RANGE' }))) instanceof DocumentTooLargeError)
    const fault = new Error('a bug')
    assert.equal(translate(ofMany(fault)), fault)
  })

  it('have their counterparts', () => {
    assert.ok(translate(ofServer(14031)) instanceof StorageFullError)
    assert.ok(translate(ofServer(17419)) instanceof DocumentTooLargeError)
    assert.ok(translate(ofServer(388)) instanceof DocumentTooLargeError)
    assert.ok(translate(Object.assign(new RangeError('no'), { code: 'ERR_OUT_OF_RANGE' })) instanceof DocumentTooLargeError)
    assert.ok(translate(ofServer(14)) instanceof TypeError)
    const duplicate = translate(ofServer(11000, { keyPattern: { organization_id: 1, name: 1 } }))
    assert.ok(duplicate instanceof DuplicateKeyError)
    assert.deepEqual(duplicate.fields, ['organization_id', 'name'])
    const many = new MongoBulkWriteError(
      { message: 'E11000 duplicate key error collection: x.things index: dc_a_1_unique dup key: { a: 1 }', code: 11000, writeErrors: [] },
      {} as never,
    )
    assert.deepEqual((translate(many) as DuplicateKeyError).fields, ['a'])
  })

  it('without a counterpart are not changed', () => {
    const fault = new Error('a bug')
    assert.equal(translate(fault), fault)
    const unknown = ofServer(59)
    assert.equal(translate(unknown), unknown)
    assert.equal(translate(null), null)
  })
})

describe('addresses of MongoDB', () => {
  it('show no secret, in any form', async () => {
    const secret = 'p@ss/word:1'
    const written = encodeURIComponent(secret)
    for (const url of [
      `mongodb://user:${written}@127.0.0.1:1:2/x`,
      `mongodb://user:${secret}@127.0.0.1:1/x?serverSelectionTimeoutMS=200`,
      `mongodb://user@127.0.0.1:1/x?tls=true&tlsCertificateKeyFilePassword=${written}&tlsCertificateKeyFile=/nowhere&serverSelectionTimeoutMS=200`,
      `mongodb://user@127.0.0.1:1/x?authMechanism=MONGODB-AWS&authMechanismProperties=AWS_SESSION_TOKEN:${written},x&serverSelectionTimeoutMS=200`,
      `mongodb://user:${written}@127.0.0.1:1/x?w=${written}&tls=maybe`,
    ]) {
      await assert.rejects(connect(url), (error) => {
        const shown = inspect(error, { depth: 20, showHidden: true })
        assert.ok(!shown.includes(secret) && !shown.includes(written), shown)
        return true
      })
    }
    await assert.rejects(connect('http://127.0.0.1'), MongoAddressError)
  })
})
