/** Integrations as the API and the audit trail show them. */
import type { Static } from 'typebox'
import type { AuditResource } from '../../../core/audit/service.js'
import { PROVIDER_FIELDS, type SettingName } from './providers.js'
import type { IntegrationConnectionRecord } from './schema.js'
import type { IntegrationDocument } from './store.js'

const iso = (date: Date | null): string | null => date?.toISOString() ?? null

export function presentIntegration(integration: IntegrationDocument): Static<typeof IntegrationConnectionRecord> {
  return {
    id: integration._id,
    organization_id: integration.organization_id,
    name: integration.name,
    kind: integration.kind,
    provider: integration.provider,
    settings: presentSettings(integration),
    credentials_kind: integration.credentials_kind,
    credentials_set_at: iso(integration.credentials_set_at),
    is_active: integration.is_active,
    disabled_reason: integration.disabled_reason,
    disabled_at: iso(integration.disabled_at),
    failing_since: iso(integration.failing_since),
    created_at: integration.created_at.toISOString(),
    updated_at: integration.updated_at.toISOString(),
  }
}

/** The settings that the provider has. */
function presentSettings({ provider, settings }: Pick<IntegrationDocument, 'provider' | 'settings'>): Static<typeof IntegrationConnectionRecord>['settings'] {
  const names = Object.keys(PROVIDER_FIELDS[provider].settings) as SettingName[]
  return Object.fromEntries(names.map((name) => [name, settings[name]]))
}

export function resourceOf({ _id, name }: Pick<IntegrationDocument, '_id' | 'name'>): AuditResource {
  return { type: 'integration', id: _id, name }
}
