/** The SAML metadata: valid by the schema of OASIS, whatever the address of the service. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { metadataXml, serviceProvider } from '../../../../server/features/sso/saml/metadata.js'
import { metadataFaults } from '../../../support/saml-schema.js'

const ADDRESSES = ['https://detection.example.com/api/v1', 'http://127.0.0.1:8080/api/v1', `https://example.com/a&b'c"d<e>/api/v1`, 'https://exämple.test/ção/api/v1']

test('the metadata is valid by its schema', async () => {
  for (const address of ADDRESSES) assert.deepEqual(await metadataFaults(metadataXml(serviceProvider(address))), [], address)
})

test('the schema refuses what is not metadata', async () => {
  const xml = metadataXml(serviceProvider(ADDRESSES[0]))
  const faulty: readonly [string, string][] = [
    [' index="0"', ''],
    [/ entityID="[^"]*"/.exec(xml)![0], ''],
    [/<md:NameIDFormat>.*<\/md:NameIDFormat>/.exec(xml)![0], ''],
    [/<md:AssertionConsumerService [^>]*>/.exec(xml)![0], ''],
    ['</md:SPSSODescriptor>', '<md:NameIDFormat>late</md:NameIDFormat></md:SPSSODescriptor>'],
    [' protocolSupportEnumeration=', ' protocol='],
  ]
  // A name format is optional.
  const optional = 2
  for (const [at, [from, to]] of faulty.entries()) {
    assert.ok(xml.includes(from))
    assert.equal((await metadataFaults(xml.replace(from, to))).length > 0, at !== optional, from)
  }
})
