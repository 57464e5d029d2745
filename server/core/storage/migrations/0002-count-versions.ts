/** Sets the number of versions and the id of the latest version in each project. The number makes the limit of versions exact. */
import { type TenantDocument, tenantCollection } from '../contract.js'
import type { Migration } from './migration.js'

// As the collections were when this migration was written.
const PROJECTS = tenantCollection<TenantDocument & { readonly version_count?: number; readonly latest_version_id?: string | null }>('projects', [])
const VERSIONS = tenantCollection<TenantDocument & { readonly project_id: string; readonly created_at: Date }>('versions', [])

export const countVersions: Migration = {
  number: 2,
  name: 'count-versions',
  async apply(storage) {
    const projects = storage.openTenant(PROJECTS)
    const versions = storage.openTenant(VERSIONS)
    const uncounted = { version_count: null }
    for await (const { _id, organization_id } of projects.iterate(uncounted)) {
      const own = { organization_id, project_id: _id }
      const latest = await versions.findOne(own, { sort: { created_at: -1, _id: -1 } })
      await projects.update({ _id, ...uncounted }, { set: { version_count: await versions.count(own), latest_version_id: latest?._id ?? null } })
    }
  },
}
