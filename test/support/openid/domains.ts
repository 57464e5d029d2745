/** Proven domains of organizations: the name servers of the test have the record of every claim. */
import assert from 'node:assert/strict'
import type { ReadTxt } from '../../../server/features/accounts/dns/txt.js'
import type { Actor } from '../actors.js'

export class ProvenDomains {
  readonly #records = new Map<string, string>()

  /** For the options of a service. */
  readonly readTxt: ReadTxt = async (name) => {
    const record = this.#records.get(name)
    return record === undefined ? [] : [record]
  }

  async prove(admin: Actor, domain: string): Promise<void> {
    const path = `/platform/organizations/${admin.organizationId}/domains`
    const claimed = await admin.client.post<{ id: string; txt_record: { name: string; value: string } }>(path, { domain })
    assert.equal(claimed.status, 200, claimed.text)
    const { id, txt_record } = claimed.body
    this.#records.set(txt_record.name, txt_record.value)
    const verified = await admin.client.post(`${path}/${id}/verify`)
    assert.equal(verified.status, 200, verified.text)
  }
}
