/**
 * Numbers of decoder names, which `decoded_as` compares (BEHAVIOUR.md#decoder-linking). A layer continues the numbers of its base. The names of
 * the internal decoders are always known (BEHAVIOUR.md#internal-decoders).
 */
import { LayeredNames } from '../event/layered-names.js'

export const BUILT_IN_DECODERS = [
  'rootcheck',
  'syscheck_integrity_changed',
  'syscheck_new_entry',
  'syscheck_deleted',
  'syscheck_registry_key_modified',
  'syscheck_registry_key_added',
  'syscheck_registry_key_deleted',
  'syscheck_registry_value_modified',
  'syscheck_registry_value_added',
  'syscheck_registry_value_deleted',
  'hostinfo_new',
  'hostinfo_modified',
  'syscollector',
  'ciscat',
  'windows_eventchannel',
  'sca',
] as const

/** Compared exactly. */
export function decoderIdentities(base: LayeredNames | null): LayeredNames {
  const identities = new LayeredNames(base)
  if (base === null) for (const name of BUILT_IN_DECODERS) identities.intern(name)
  return identities
}
