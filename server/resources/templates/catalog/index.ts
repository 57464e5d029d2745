/** Every template, by category. A new one is a file in the folder of its category, and two lines here. */
import { applicationLoginJson } from './authentication/application-login-json.js'
import { breakGlassAccountUsed } from './authentication/break-glass-account-used.js'
import { dropbearSshServer } from './authentication/dropbear-ssh-server.js'
import { keycloakEvents } from './authentication/keycloak-events.js'
import { loginOutsideBusinessHours } from './authentication/login-outside-business-hours.js'
import { serviceAccountSudo } from './authentication/service-account-sudo.js'
import { sshRootLoginOutsideAdminNetwork } from './authentication/ssh-root-login-outside-admin-network.js'
import { sshUserFromTwoAddresses } from './authentication/ssh-user-from-two-addresses.js'
import { windowsServiceAccountInteractiveLogon } from './authentication/windows-service-account-interactive-logon.js'
import { apiCredentialStuffing } from './network/api-credential-stuffing.js'
import { dnsPastTheResolver } from './network/dns-past-the-resolver.js'
import { egressSmtpFromClients } from './network/egress-smtp-from-clients.js'
import { internalHostSweep } from './network/internal-host-sweep.js'
import { mikrotikRouteros } from './network/mikrotik-routeros.js'
import { watchedDomainQueries } from './network/watched-domain-queries.js'
import { webAdminAreaFromOutside } from './network/web-admin-area-from-outside.js'
import { clamavDetections } from './malware/clamav-detections.js'
import { cryptominerStarted } from './malware/cryptominer-started.js'
import { defenderRecurrentInfection } from './malware/defender-recurrent-infection.js'
import { scriptFromArchive } from './malware/script-from-archive.js'
import { watchedFileHashes } from './malware/watched-file-hashes.js'
import { webshellWrittenByWebServer } from './malware/webshell-written-by-web-server.js'
import { yaraScanResults } from './malware/yara-scan-results.js'
import { accountLifecycle } from './compliance/account-lifecycle.js'
import { adminGroupChangeAtNight } from './compliance/admin-group-change-at-night.js'
import { cardholderDataRead } from './compliance/cardholder-data-read.js'
import { logFilesDeleted } from './compliance/log-files-deleted.js'
import { passwordPolicyChanged } from './compliance/password-policy-changed.js'
import { patientDataExported } from './compliance/patient-data-exported.js'
import { sharepointSensitiveDownloads } from './compliance/sharepoint-sensitive-downloads.js'
import { authorizedScanner } from './ids/authorized-scanner.js'
import { cowrieHoneypot } from './ids/cowrie-honeypot.js'
import { fail2banBans } from './ids/fail2ban-bans.js'
import { suricataKnownNoise } from './ids/suricata-known-noise.js'
import { suricataManySignaturesOfOneHost } from './ids/suricata-many-signatures-of-one-host.js'
import { suricataPrioritySignatures } from './ids/suricata-priority-signatures.js'
import { zeekLongConnections } from './ids/zeek-long-connections.js'
import { awsBreakGlassRole } from './cloud/aws-break-glass-role.js'
import { awsBucketEmptied } from './cloud/aws-bucket-emptied.js'
import { awsConsoleLoginOutsideCompany } from './cloud/aws-console-login-outside-company.js'
import { awsUnusedRegion } from './cloud/aws-unused-region.js'
import { entraSignInFromUnexpectedCountry } from './cloud/entra-sign-in-from-unexpected-country.js'
import { gcpKeyOutsideAutomation } from './cloud/gcp-key-outside-automation.js'
import { kubernetesForeignImage } from './cloud/kubernetes-foreign-image.js'
import { kubernetesShellInProduction } from './cloud/kubernetes-shell-in-production.js'
import { oktaAdminAccessOutsideCompany } from './cloud/okta-admin-access-outside-company.js'
import { criticalAgentDisconnected } from './endpoint/critical-agent-disconnected.js'
import { linuxPersistenceFiles } from './endpoint/linux-persistence-files.js'
import { osqueryResults } from './endpoint/osquery-results.js'
import { rdpBetweenWorkstations } from './endpoint/rdp-between-workstations.js'
import { remoteControlSoftware } from './endpoint/remote-control-software.js'
import { scheduledTaskForeignName } from './endpoint/scheduled-task-foreign-name.js'
import { usbStorageNotApproved } from './endpoint/usb-storage-not-approved.js'
import { alertOnceAnHour } from './generic/alert-once-an-hour.js'
import { commandOutputWatch } from './generic/command-output-watch.js'
import { decoderCef } from './generic/decoder-cef.js'
import { decoderJsonAfterHeader } from './generic/decoder-json-after-header.js'
import { decoderKeyValue } from './generic/decoder-key-value.js'
import { decoderLeef } from './generic/decoder-leef.js'
import { decoderSeparatedFields } from './generic/decoder-separated-fields.js'
import { javaApplicationErrors } from './generic/java-application-errors.js'
import { jsonApplicationErrors } from './generic/json-application-errors.js'
import { maintenanceWindow } from './generic/maintenance-window.js'
import { silenceKnownMessage } from './generic/silence-known-message.js'
import { stricterThresholdForImportantHosts } from './generic/stricter-threshold-for-important-hosts.js'
import type { Template } from './template.js'

export const TEMPLATES: readonly Template[] = [
  // authentication
  applicationLoginJson,
  breakGlassAccountUsed,
  dropbearSshServer,
  keycloakEvents,
  loginOutsideBusinessHours,
  serviceAccountSudo,
  sshRootLoginOutsideAdminNetwork,
  sshUserFromTwoAddresses,
  windowsServiceAccountInteractiveLogon,
  // network
  apiCredentialStuffing,
  dnsPastTheResolver,
  egressSmtpFromClients,
  internalHostSweep,
  mikrotikRouteros,
  watchedDomainQueries,
  webAdminAreaFromOutside,
  // malware
  clamavDetections,
  cryptominerStarted,
  defenderRecurrentInfection,
  scriptFromArchive,
  watchedFileHashes,
  webshellWrittenByWebServer,
  yaraScanResults,
  // compliance
  accountLifecycle,
  adminGroupChangeAtNight,
  cardholderDataRead,
  logFilesDeleted,
  passwordPolicyChanged,
  patientDataExported,
  sharepointSensitiveDownloads,
  // ids
  authorizedScanner,
  cowrieHoneypot,
  fail2banBans,
  suricataKnownNoise,
  suricataManySignaturesOfOneHost,
  suricataPrioritySignatures,
  zeekLongConnections,
  // cloud
  awsBreakGlassRole,
  awsBucketEmptied,
  awsConsoleLoginOutsideCompany,
  awsUnusedRegion,
  entraSignInFromUnexpectedCountry,
  gcpKeyOutsideAutomation,
  kubernetesForeignImage,
  kubernetesShellInProduction,
  oktaAdminAccessOutsideCompany,
  // endpoint
  criticalAgentDisconnected,
  linuxPersistenceFiles,
  osqueryResults,
  rdpBetweenWorkstations,
  remoteControlSoftware,
  scheduledTaskForeignName,
  usbStorageNotApproved,
  // generic
  alertOnceAnHour,
  commandOutputWatch,
  decoderCef,
  decoderJsonAfterHeader,
  decoderKeyValue,
  decoderLeef,
  decoderSeparatedFields,
  javaApplicationErrors,
  jsonApplicationErrors,
  maintenanceWindow,
  silenceKnownMessage,
  stricterThresholdForImportantHosts,
]
