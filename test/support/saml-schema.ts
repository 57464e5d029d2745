/** Validates SAML 2.0 metadata by the schema of OASIS, with xmllint. */
import { readFileSync } from 'node:fs'
import { validateXML } from 'xmllint-wasm'

const FOLDER = new URL('../../../test/support/saml-schema/', import.meta.url)
const MAIN = 'saml-schema-metadata-2.0.xsd'
const IMPORTED = ['saml-schema-assertion-2.0.xsd', 'xenc-schema.xsd', 'xmldsig-core-schema.xsd', 'xml.xsd']

/** Returns what the schema refuses; empty: the document is valid. */
export async function metadataFaults(xml: string): Promise<readonly string[]> {
  const file = (fileName: string) => ({ fileName, contents: readFileSync(new URL(fileName, FOLDER), 'utf8') })
  const { errors } = await validateXML({ xml: { fileName: 'metadata.xml', contents: xml }, schema: file(MAIN), preload: IMPORTED.map(file) })
  return errors.map(({ rawMessage }) => rawMessage)
}
