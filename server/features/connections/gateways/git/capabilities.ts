/** What each Git provider supports. It is apart from the gateways, whose libraries are loaded with the first call. */
import type { GitProvider } from '../providers.js'
import type { GitCapabilities } from './gateway.js'

const FORGE: GitCapabilities = {
  supports_repository_listing: true,
  supports_branch_listing: true,
  supports_scan_discovery: true,
  supports_explicit_paths: true,
  supports_direct_publish: true,
  supports_review_publish: true,
  supports_app_auth: false,
  supports_webhook_sync: true,
  supports_pagination: true,
}

export const GIT_CAPABILITIES: Readonly<Record<GitProvider, GitCapabilities>> = {
  github: { ...FORGE, supports_app_auth: true },
  gitlab: FORGE,
  gitea: FORGE,
  git: { ...FORGE, supports_repository_listing: false, supports_review_publish: false, supports_webhook_sync: false, supports_pagination: false },
}
