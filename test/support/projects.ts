/** Projects and what is in them, made over HTTP. */
import assert from 'node:assert/strict'
import type { CaseRecord } from '../../server/content/cases/case-record.js'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import type { WorkspaceRecord } from '../../server/content/workspaces/schema.js'
import type { ReviewRecord } from '../../server/content/reviews/schema.js'
import type { Actor } from './actors.js'

/** A decoder and two rules, without a diagnostic on top of the reference ruleset. */
export const DECODERS_XML = `<decoder name="vpn">
  <program_name>^vpnd$</program_name>
</decoder>

<decoder name="vpn-login">
  <parent>vpn</parent>
  <prematch>^login </prematch>
  <regex offset="after_prematch">^(\\S+) for (\\S+) from (\\S+)$</regex>
  <order>action, user, srcip</order>
</decoder>
`

export const RULES_XML = `<group name="vpn,">
  <rule id="100100" level="3">
    <decoded_as>vpn</decoded_as>
    <description>VPN: event</description>
  </rule>
  <rule id="100101" level="5">
    <if_sid>100100</if_sid>
    <action>failed</action>
    <description>VPN: login failed</description>
    <mitre>
      <id>T1110</id>
    </mitre>
    <group>authentication_failed,</group>
  </rule>
</group>
`

/** Fires 100101. */
export const FAILED_LOGIN = 'Nov 21 08:15:30 gw1 vpnd[311]: login failed for ana from 203.0.113.7'
/** Fires 100100. */
export const GOOD_LOGIN = 'Nov 21 08:15:31 gw1 vpnd[311]: login accepted for ana from 203.0.113.7'

export async function createProject(actor: Actor, fields: Readonly<Record<string, unknown>> = {}): Promise<ProjectRecord> {
  const { status, body, text } = await actor.client.post<ProjectRecord>('/platform/projects', {
    name: 'VPN gateways',
    decoders_xml: DECODERS_XML,
    rules_xml: RULES_XML,
    include_disk_custom: false,
    ...fields,
  })
  assert.equal(status, 200, text)
  return body
}

/** A copy of the project's content, unless told otherwise. */
export async function openWorkspace(actor: Actor, projectId: string, fields: Readonly<Record<string, unknown>> = {}): Promise<WorkspaceRecord> {
  const { status, body, text } = await actor.client.post<WorkspaceRecord>(`/platform/projects/${projectId}/workspaces`, { name: 'New gateway model', ...fields })
  assert.equal(status, 200, text)
  return body
}

export async function openReview(
  actor: Actor,
  { id, project_id }: Pick<WorkspaceRecord, 'id' | 'project_id'>,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<ReviewRecord> {
  const { status, body, text } = await actor.client.post<ReviewRecord>(`/platform/projects/${project_id}/reviews`, { title: 'Brute force on the VPN', workspace_id: id, ...fields })
  assert.equal(status, 200, text)
  return body
}

/** What else a case has does not matter. */
export async function createCase(actor: Actor, projectId: string, fields: Readonly<Record<string, unknown>> = {}): Promise<CaseRecord> {
  const { status, body, text } = await actor.client.post<CaseRecord>(`/platform/projects/${projectId}/cases`, { name: 'Failed login', event_text: FAILED_LOGIN, ...fields })
  assert.equal(status, 200, text)
  return body
}
