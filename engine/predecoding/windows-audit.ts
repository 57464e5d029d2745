/** Names of Windows audit categories (BEHAVIOUR.md#windows-eventchannel), by the ids that events carry. */
const CATEGORIES: readonly (readonly [id: number, name: string, firstSubcategory: number, subcategories: readonly string[]])[] = [
  [8272, 'System', 12288, ['Security State Change', 'Security System Extension', 'System Integrity', 'IPsec Driver', 'Other System Events']],
  [
    8273,
    'Logon/Logoff',
    12544,
    [
      'Logon',
      'Logoff',
      'Account Lockout',
      'IPsec Main Mode',
      'Special Logon',
      'IPSec Extended Mode',
      'IPSec Quick Mode',
      'Other Logon/Logoff Events',
      'Network Policy Server',
      'User/Device Claims',
      'Group Membership',
    ],
  ],
  [
    8274,
    'Object Access',
    12800,
    [
      'File System',
      'Registry',
      'Kernel Object',
      'SAM',
      'Other Object Access Events',
      'Certification Services',
      'Application Generated',
      'Handle Manipulation',
      'File Share',
      'Filtering Platform Packet Drop',
      'Filtering Platform Connection',
      'Detailed File Share',
      'Removable Storage',
      'Central Policy Staging',
    ],
  ],
  [8275, 'Privilege Use', 13056, ['Sensitive Privilege Use', 'Non Sensitive Privilege Use', 'Other Privilege Use Events']],
  [8276, 'Detailed Tracking', 13312, ['Process Creation', 'Process Termination', 'DPAPI Activity', 'RPC Events', 'Plug and Play Events', 'Token Right Adjusted Events']],
  [
    8277,
    'Policy Change',
    13568,
    [
      'Audit Policy Change',
      'Authentication Policy Change',
      'Authorization Policy Change',
      'MPSSVC Rule-Level Policy Change',
      'Filtering Platform Policy Change',
      'Other Policy Change Events',
    ],
  ],
  [
    8278,
    'Account Management',
    13824,
    [
      'User Account Management',
      'Computer Account Management',
      'Security Group Management',
      'Distribution Group Management',
      'Application Group Management',
      'Other Account Management Events',
    ],
  ],
  [8279, 'DS Access', 14080, ['Directory Service Access', 'Directory Service Changes', 'Directory Service Replication', 'Detailed Directory Service Replication']],
  [8280, 'Account Logon', 14336, ['Credential Validation', 'Kerberos Service Ticket Operations', 'Other Account Logon Events', 'Kerberos Authentication Service']],
]

export const AUDIT_CATEGORIES: ReadonlyMap<number, string> = new Map(CATEGORIES.map(([id, name]) => [id, name]))

/** Subcategories of a category have consecutive ids. */
export const AUDIT_SUBCATEGORIES: ReadonlyMap<number, string> = new Map(
  CATEGORIES.flatMap(([, , first, names]) => names.map((name, index): [number, string] => [first + index, name])),
)

export const AUDIT_POLICY_CHANGES: ReadonlyMap<number, string> = new Map([
  [8448, 'Success removed'],
  [8449, 'Success added'],
  [8450, 'Failure removed'],
  [8451, 'Failure added'],
])
