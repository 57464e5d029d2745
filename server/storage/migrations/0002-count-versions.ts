/** Projects know how many versions they have, so that the limit of them is exact: counts those that are there already. */
import { type TenantDocument, tenantCollection } from '../contract.js'
import type { Migration } from './migration.js'

// As they were when this was written: what they become later is not of this migration.
const PROJECTS = tenantCollection<TenantDocument & { readonly version_count?: number }>('projects', [])
const VERSIONS = tenantCollection<TenantDocument & { readonly project_id: string }>('versions', [])

export const countVersions: Migration = {
  number: 2,
  name: 'count-versions',
  async apply(storage) {
    const projects = storage.openTenant(PROJECTS)
    const versions = storage.openTenant(VERSIONS)
    const uncounted = { version_count: { $exists: false } }
    for await (const { _id, organization_id } of projects.iterate(uncounted))
      await projects.update({ _id, ...uncounted }, { $set: { version_count: await versions.count({ organization_id, project_id: _id }) } })
  },
}
