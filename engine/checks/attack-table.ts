/**
 * MITRE ATT&CK for Enterprise as a table: technique ids with their tactics and names. Facts of the public matrix, version 17.
 * ATT&CK is a registered trademark of The MITRE Corporation; © The MITRE Corporation, reproduced and distributed with its permission.
 */

/** A technique or sub-technique. */
export interface AttackTechnique {
  readonly id: string
  readonly name: string
  /** Tactic ids such as `TA0001`. */
  readonly tactics: readonly string[]
}

/** Tactics by id. */
export const ATTACK_TACTICS: ReadonlyMap<string, string> = new Map([
  ['TA0001', 'Initial Access'],
  ['TA0002', 'Execution'],
  ['TA0003', 'Persistence'],
  ['TA0004', 'Privilege Escalation'],
  ['TA0005', 'Defense Evasion'],
  ['TA0006', 'Credential Access'],
  ['TA0007', 'Discovery'],
  ['TA0008', 'Lateral Movement'],
  ['TA0009', 'Collection'],
  ['TA0010', 'Exfiltration'],
  ['TA0011', 'Command and Control'],
  ['TA0040', 'Impact'],
  ['TA0042', 'Resource Development'],
  ['TA0043', 'Reconnaissance'],
])

/** One line per technique: id, last two digits of its tactics, name. */
const TABLE = `
T1001 11 Data Obfuscation
T1001.001 11 Junk Data
T1001.002 11 Steganography
T1001.003 11 Protocol Impersonation
T1003 06 OS Credential Dumping
T1003.001 06 LSASS Memory
T1003.002 06 Security Account Manager
T1003.003 06 NTDS
T1003.004 06 LSA Secrets
T1003.005 06 Cached Domain Credentials
T1003.006 06 DCSync
T1003.007 06 Proc Filesystem
T1003.008 06 /etc/passwd and /etc/shadow
T1005 09 Data from Local System
T1006 05 Direct Volume Access
T1007 07 System Service Discovery
T1008 11 Fallback Channels
T1010 07 Application Window Discovery
T1011 10 Exfiltration Over Other Network Medium
T1011.001 10 Exfiltration Over Bluetooth
T1012 07 Query Registry
T1014 05 Rootkit
T1016 07 System Network Configuration Discovery
T1016.001 07 Internet Connection Discovery
T1016.002 07 Wi-Fi Discovery
T1018 07 Remote System Discovery
T1020 10 Automated Exfiltration
T1020.001 10 Traffic Duplication
T1021 08 Remote Services
T1021.001 08 Remote Desktop Protocol
T1021.002 08 SMB/Windows Admin Shares
T1021.003 08 Distributed Component Object Model
T1021.004 08 SSH
T1021.005 08 VNC
T1021.006 08 Windows Remote Management
T1021.007 08 Cloud Services
T1021.008 08 Direct Cloud VM Connections
T1025 09 Data from Removable Media
T1027 05 Obfuscated Files or Information
T1027.001 05 Binary Padding
T1027.002 05 Software Packing
T1027.003 05 Steganography
T1027.004 05 Compile After Delivery
T1027.005 05 Indicator Removal from Tools
T1027.006 05 HTML Smuggling
T1027.007 05 Dynamic API Resolution
T1027.008 05 Stripped Payloads
T1027.009 05 Embedded Payloads
T1027.010 05 Command Obfuscation
T1027.011 05 Fileless Storage
T1027.012 05 LNK Icon Smuggling
T1027.013 05 Encrypted/Encoded File
T1027.014 05 Polymorphic Code
T1027.015 05 Compression
T1027.016 05 Junk Code Insertion
T1027.017 05 SVG Smuggling
T1029 10 Scheduled Transfer
T1030 10 Data Transfer Size Limits
T1033 07 System Owner/User Discovery
T1036 05 Masquerading
T1036.001 05 Invalid Code Signature
T1036.002 05 Right-to-Left Override
T1036.003 05 Rename Legitimate Utilities
T1036.004 05 Masquerade Task or Service
T1036.005 05 Match Legitimate Resource Name or Location
T1036.006 05 Space after Filename
T1036.007 05 Double File Extension
T1036.008 05 Masquerade File Type
T1036.009 05 Break Process Trees
T1036.010 05 Masquerade Account Name
T1036.011 05 Overwrite Process Arguments
T1037 03,04 Boot or Logon Initialization Scripts
T1037.001 03,04 Logon Script (Windows)
T1037.002 03,04 Login Hook
T1037.003 03,04 Network Logon Script
T1037.004 03,04 RC Scripts
T1037.005 03,04 Startup Items
T1039 09 Data from Network Shared Drive
T1040 06,07 Network Sniffing
T1041 10 Exfiltration Over C2 Channel
T1046 07 Network Service Discovery
T1047 02 Windows Management Instrumentation
T1048 10 Exfiltration Over Alternative Protocol
T1048.001 10 Exfiltration Over Symmetric Encrypted Non-C2 Protocol
T1048.002 10 Exfiltration Over Asymmetric Encrypted Non-C2 Protocol
T1048.003 10 Exfiltration Over Unencrypted Non-C2 Protocol
T1049 07 System Network Connections Discovery
T1052 10 Exfiltration Over Physical Medium
T1052.001 10 Exfiltration over USB
T1053 02,03,04 Scheduled Task/Job
T1053.002 02,03,04 At
T1053.003 02,03,04 Cron
T1053.005 02,03,04 Scheduled Task
T1053.006 02,03,04 Systemd Timers
T1053.007 02,03,04 Container Orchestration Job
T1055 04,05 Process Injection
T1055.001 04,05 Dynamic-link Library Injection
T1055.002 04,05 Portable Executable Injection
T1055.003 04,05 Thread Execution Hijacking
T1055.004 04,05 Asynchronous Procedure Call
T1055.005 04,05 Thread Local Storage
T1055.008 04,05 Ptrace System Calls
T1055.009 04,05 Proc Memory
T1055.011 04,05 Extra Window Memory Injection
T1055.012 04,05 Process Hollowing
T1055.013 04,05 Process Doppelgänging
T1055.014 04,05 VDSO Hijacking
T1055.015 04,05 ListPlanting
T1056 06,09 Input Capture
T1056.001 06,09 Keylogging
T1056.002 06,09 GUI Input Capture
T1056.003 06,09 Web Portal Capture
T1056.004 06,09 Credential API Hooking
T1057 07 Process Discovery
T1059 02 Command and Scripting Interpreter
T1059.001 02 PowerShell
T1059.002 02 AppleScript
T1059.003 02 Windows Command Shell
T1059.004 02 Unix Shell
T1059.005 02 Visual Basic
T1059.006 02 Python
T1059.007 02 JavaScript
T1059.008 02 Network Device CLI
T1059.009 02 Cloud API
T1059.010 02 AutoHotKey & AutoIT
T1059.011 02 Lua
T1059.012 02 Hypervisor CLI
T1068 04 Exploitation for Privilege Escalation
T1069 07 Permission Groups Discovery
T1069.001 07 Local Groups
T1069.002 07 Domain Groups
T1069.003 07 Cloud Groups
T1070 05 Indicator Removal
T1070.001 05 Clear Windows Event Logs
T1070.002 05 Clear Linux or Mac System Logs
T1070.003 05 Clear Command History
T1070.004 05 File Deletion
T1070.005 05 Network Share Connection Removal
T1070.006 05 Timestomp
T1070.007 05 Clear Network Connection History and Configurations
T1070.008 05 Clear Mailbox Data
T1070.009 05 Clear Persistence
T1071 11 Application Layer Protocol
T1071.001 11 Web Protocols
T1071.002 11 File Transfer Protocols
T1071.003 11 Mail Protocols
T1071.004 11 DNS
T1072 02,08 Software Deployment Tools
T1074 09 Data Staged
T1074.001 09 Local Data Staging
T1074.002 09 Remote Data Staging
T1078 01,03,04,05 Valid Accounts
T1078.001 01,03,04,05 Default Accounts
T1078.002 01,03,04,05 Domain Accounts
T1078.003 01,03,04,05 Local Accounts
T1078.004 01,03,04,05 Cloud Accounts
T1080 08 Taint Shared Content
T1082 07 System Information Discovery
T1083 07 File and Directory Discovery
T1087 07 Account Discovery
T1087.001 07 Local Account
T1087.002 07 Domain Account
T1087.003 07 Email Account
T1087.004 07 Cloud Account
T1090 11 Proxy
T1090.001 11 Internal Proxy
T1090.002 11 External Proxy
T1090.003 11 Multi-hop Proxy
T1090.004 11 Domain Fronting
T1091 01,08 Replication Through Removable Media
T1092 11 Communication Through Removable Media
T1095 11 Non-Application Layer Protocol
T1098 03,04 Account Manipulation
T1098.001 03,04 Additional Cloud Credentials
T1098.002 03,04 Additional Email Delegate Permissions
T1098.003 03,04 Additional Cloud Roles
T1098.004 03,04 SSH Authorized Keys
T1098.005 03,04 Device Registration
T1098.006 03,04 Additional Container Cluster Roles
T1102 11 Web Service
T1102.001 11 Dead Drop Resolver
T1102.002 11 Bidirectional Communication
T1102.003 11 One-Way Communication
T1104 11 Multi-Stage Channels
T1105 11 Ingress Tool Transfer
T1106 02 Native API
T1110 06 Brute Force
T1110.001 06 Password Guessing
T1110.002 06 Password Cracking
T1110.003 06 Password Spraying
T1110.004 06 Credential Stuffing
T1111 06 Multi-Factor Authentication Interception
T1112 03,05 Modify Registry
T1113 09 Screen Capture
T1114 09 Email Collection
T1114.001 09 Local Email Collection
T1114.002 09 Remote Email Collection
T1114.003 09 Email Forwarding Rule
T1115 09 Clipboard Data
T1119 09 Automated Collection
T1120 07 Peripheral Device Discovery
T1123 09 Audio Capture
T1124 07 System Time Discovery
T1125 09 Video Capture
T1127 05 Trusted Developer Utilities Proxy Execution
T1127.001 05 MSBuild
T1127.002 05 ClickOnce
T1127.003 05 JamPlus
T1129 02 Shared Modules
T1132 11 Data Encoding
T1132.001 11 Standard Encoding
T1132.002 11 Non-Standard Encoding
T1133 01,03 External Remote Services
T1134 04,05 Access Token Manipulation
T1134.001 04,05 Token Impersonation/Theft
T1134.002 04,05 Create Process with Token
T1134.003 04,05 Make and Impersonate Token
T1134.004 04,05 Parent PID Spoofing
T1134.005 04,05 SID-History Injection
T1135 07 Network Share Discovery
T1136 03 Create Account
T1136.001 03 Local Account
T1136.002 03 Domain Account
T1136.003 03 Cloud Account
T1137 03 Office Application Startup
T1137.001 03 Office Template Macros
T1137.002 03 Office Test
T1137.003 03 Outlook Forms
T1137.004 03 Outlook Home Page
T1137.005 03 Outlook Rules
T1137.006 03 Add-ins
T1140 05 Deobfuscate/Decode Files or Information
T1176 03 Software Extensions
T1176.001 03 Browser Extensions
T1176.002 03 IDE Extensions
T1185 09 Browser Session Hijacking
T1187 06 Forced Authentication
T1189 01 Drive-by Compromise
T1190 01 Exploit Public-Facing Application
T1195 01 Supply Chain Compromise
T1195.001 01 Compromise Software Dependencies and Development Tools
T1195.002 01 Compromise Software Supply Chain
T1195.003 01 Compromise Hardware Supply Chain
T1197 03,05 BITS Jobs
T1199 01 Trusted Relationship
T1200 01 Hardware Additions
T1201 07 Password Policy Discovery
T1202 05 Indirect Command Execution
T1203 02 Exploitation for Client Execution
T1204 02 User Execution
T1204.001 02 Malicious Link
T1204.002 02 Malicious File
T1204.003 02 Malicious Image
T1204.004 02 Malicious Copy and Paste
T1205 03,05,11 Traffic Signaling
T1205.001 03,05,11 Port Knocking
T1205.002 03,05,11 Socket Filters
T1207 05 Rogue Domain Controller
T1210 08 Exploitation of Remote Services
T1211 05 Exploitation for Defense Evasion
T1212 06 Exploitation for Credential Access
T1213 09 Data from Information Repositories
T1213.001 09 Confluence
T1213.002 09 Sharepoint
T1213.003 09 Code Repositories
T1216 05 System Script Proxy Execution
T1216.001 05 PubPrn
T1216.002 05 SyncAppvPublishingServer
T1217 07 Browser Information Discovery
T1218 05 System Binary Proxy Execution
T1218.001 05 Compiled HTML File
T1218.002 05 Control Panel
T1218.003 05 CMSTP
T1218.004 05 InstallUtil
T1218.005 05 Mshta
T1218.007 05 Msiexec
T1218.008 05 Odbcconf
T1218.009 05 Regsvcs/Regasm
T1218.010 05 Regsvr32
T1218.011 05 Rundll32
T1218.012 05 Verclsid
T1218.013 05 Mavinject
T1218.014 05 MMC
T1218.015 05 Electron Applications
T1219 11 Remote Access Tools
T1219.001 11 IDE Tunneling
T1219.002 11 Remote Desktop Software
T1219.003 11 Remote Access Hardware
T1220 05 XSL Script Processing
T1221 05 Template Injection
T1222 05 File and Directory Permissions Modification
T1222.001 05 Windows File and Directory Permissions Modification
T1222.002 05 Linux and Mac File and Directory Permissions Modification
T1480 05 Execution Guardrails
T1480.001 05 Environmental Keying
T1482 07 Domain Trust Discovery
T1484 04,05 Domain or Tenant Policy Modification
T1484.001 04,05 Group Policy Modification
T1484.002 04,05 Trust Modification
T1485 40 Data Destruction
T1486 40 Data Encrypted for Impact
T1489 40 Service Stop
T1490 40 Inhibit System Recovery
T1491 40 Defacement
T1491.001 40 Internal Defacement
T1491.002 40 External Defacement
T1495 40 Firmware Corruption
T1496 40 Resource Hijacking
T1497 05,07 Virtualization/Sandbox Evasion
T1497.001 05,07 System Checks
T1497.002 05,07 User Activity Based Checks
T1497.003 05,07 Time Based Evasion
T1498 40 Network Denial of Service
T1498.001 40 Direct Network Flood
T1498.002 40 Reflection Amplification
T1499 40 Endpoint Denial of Service
T1499.001 40 OS Exhaustion Flood
T1499.002 40 Service Exhaustion Flood
T1499.003 40 Application Exhaustion Flood
T1499.004 40 Application or System Exploitation
T1505 03 Server Software Component
T1505.001 03 SQL Stored Procedures
T1505.002 03 Transport Agent
T1505.003 03 Web Shell
T1505.004 03 IIS Components
T1505.005 03 Terminal Services DLL
T1505.006 03 vSphere Installation Bundles
T1518 07 Software Discovery
T1518.001 07 Security Software Discovery
T1525 03 Implant Internal Image
T1526 07 Cloud Service Discovery
T1528 06 Steal Application Access Token
T1529 40 System Shutdown/Reboot
T1530 09 Data from Cloud Storage
T1531 40 Account Access Removal
T1534 08 Internal Spearphishing
T1535 05 Unused/Unsupported Cloud Regions
T1537 10 Transfer Data to Cloud Account
T1538 07 Cloud Service Dashboard
T1539 06 Steal Web Session Cookie
T1542 03,05 Pre-OS Boot
T1542.001 03,05 System Firmware
T1542.002 03,05 Component Firmware
T1542.003 03,05 Bootkit
T1542.004 03,05 ROMMONkit
T1542.005 03,05 TFTP Boot
T1543 03,04 Create or Modify System Process
T1543.001 03,04 Launch Agent
T1543.002 03,04 Systemd Service
T1543.003 03,04 Windows Service
T1543.004 03,04 Launch Daemon
T1543.005 03,04 Container Service
T1546 03,04 Event Triggered Execution
T1546.001 03,04 Change Default File Association
T1546.002 03,04 Screensaver
T1546.003 03,04 Windows Management Instrumentation Event Subscription
T1546.004 03,04 Unix Shell Configuration Modification
T1546.005 03,04 Trap
T1546.006 03,04 LC_LOAD_DYLIB Addition
T1546.007 03,04 Netsh Helper DLL
T1546.008 03,04 Accessibility Features
T1546.009 03,04 AppCert DLLs
T1546.010 03,04 AppInit DLLs
T1546.011 03,04 Application Shimming
T1546.012 03,04 Image File Execution Options Injection
T1546.013 03,04 PowerShell Profile
T1546.014 03,04 Emond
T1546.015 03,04 Component Object Model Hijacking
T1546.016 03,04 Installer Packages
T1547 03,04 Boot or Logon Autostart Execution
T1547.001 03,04 Registry Run Keys / Startup Folder
T1547.002 03,04 Authentication Package
T1547.003 03,04 Time Providers
T1547.004 03,04 Winlogon Helper DLL
T1547.005 03,04 Security Support Provider
T1547.006 03,04 Kernel Modules and Extensions
T1547.007 03,04 Re-opened Applications
T1547.008 03,04 LSASS Driver
T1547.009 03,04 Shortcut Modification
T1547.010 03,04 Port Monitors
T1547.012 03,04 Print Processors
T1547.013 03,04 XDG Autostart Entries
T1547.014 03,04 Active Setup
T1547.015 03,04 Login Items
T1548 04,05 Abuse Elevation Control Mechanism
T1548.001 04,05 Setuid and Setgid
T1548.002 04,05 Bypass User Account Control
T1548.003 04,05 Sudo and Sudo Caching
T1548.004 04,05 Elevated Execution with Prompt
T1548.005 04,05 Temporary Elevated Cloud Access
T1548.006 04,05 TCC Manipulation
T1550 05,08 Use Alternate Authentication Material
T1550.001 05,08 Application Access Token
T1550.002 05,08 Pass the Hash
T1550.003 05,08 Pass the Ticket
T1550.004 05,08 Web Session Cookie
T1552 06 Unsecured Credentials
T1552.001 06 Credentials In Files
T1552.002 06 Credentials in Registry
T1552.003 06 Bash History
T1552.004 06 Private Keys
T1552.005 06 Cloud Instance Metadata API
T1552.006 06 Group Policy Preferences
T1552.007 06 Container API
T1552.008 06 Chat Messages
T1553 05 Subvert Trust Controls
T1553.001 05 Gatekeeper Bypass
T1553.002 05 Code Signing
T1553.003 05 SIP and Trust Provider Hijacking
T1553.004 05 Install Root Certificate
T1553.005 05 Mark-of-the-Web Bypass
T1553.006 05 Code Signing Policy Modification
T1554 03 Compromise Host Software Binary
T1555 06 Credentials from Password Stores
T1555.001 06 Keychain
T1555.002 06 Securityd Memory
T1555.003 06 Credentials from Web Browsers
T1555.004 06 Windows Credential Manager
T1555.005 06 Password Managers
T1555.006 06 Cloud Secrets Management Stores
T1556 03,05,06 Modify Authentication Process
T1556.001 03,05,06 Domain Controller Authentication
T1556.002 03,05,06 Password Filter DLL
T1556.003 03,05,06 Pluggable Authentication Modules
T1556.004 03,05,06 Network Device Authentication
T1556.005 03,05,06 Reversible Encryption
T1556.006 03,05,06 Multi-Factor Authentication
T1556.007 03,05,06 Hybrid Identity
T1556.008 03,05,06 Network Provider DLL
T1556.009 03,05,06 Conditional Access Policies
T1557 06,09 Adversary-in-the-Middle
T1557.001 06,09 LLMNR/NBT-NS Poisoning and SMB Relay
T1557.002 06,09 ARP Cache Poisoning
T1557.003 06,09 DHCP Spoofing
T1558 06 Steal or Forge Kerberos Tickets
T1558.001 06 Golden Ticket
T1558.002 06 Silver Ticket
T1558.003 06 Kerberoasting
T1558.004 06 AS-REP Roasting
T1559 02 Inter-Process Communication
T1559.001 02 Component Object Model
T1559.002 02 Dynamic Data Exchange
T1559.003 02 XPC Services
T1560 09 Archive Collected Data
T1560.001 09 Archive via Utility
T1560.002 09 Archive via Library
T1560.003 09 Archive via Custom Method
T1561 40 Disk Wipe
T1561.001 40 Disk Content Wipe
T1561.002 40 Disk Structure Wipe
T1562 05 Impair Defenses
T1562.001 05 Disable or Modify Tools
T1562.002 05 Disable Windows Event Logging
T1562.003 05 Impair Command History Logging
T1562.004 05 Disable or Modify System Firewall
T1562.006 05 Indicator Blocking
T1562.007 05 Disable or Modify Cloud Firewall
T1562.008 05 Disable or Modify Cloud Logs
T1562.009 05 Safe Mode Boot
T1562.010 05 Downgrade Attack
T1562.011 05 Spoof Security Alerting
T1562.012 05 Disable or Modify Linux Audit System
T1563 08 Remote Service Session Hijacking
T1563.001 08 SSH Hijacking
T1563.002 08 RDP Hijacking
T1564 05 Hide Artifacts
T1564.001 05 Hidden Files and Directories
T1564.002 05 Hidden Users
T1564.003 05 Hidden Window
T1564.004 05 NTFS File Attributes
T1564.005 05 Hidden File System
T1564.006 05 Run Virtual Instance
T1564.007 05 VBA Stomping
T1564.008 05 Email Hiding Rules
T1564.009 05 Resource Forking
T1564.010 05 Process Argument Spoofing
T1564.011 05 Ignore Process Interrupts
T1564.012 05 File/Path Exclusions
T1564.013 05 Bind Mounts
T1564.014 05 Extended Attributes
T1565 40 Data Manipulation
T1565.001 40 Stored Data Manipulation
T1565.002 40 Transmitted Data Manipulation
T1565.003 40 Runtime Data Manipulation
T1566 01 Phishing
T1566.001 01 Spearphishing Attachment
T1566.002 01 Spearphishing Link
T1566.003 01 Spearphishing via Service
T1566.004 01 Spearphishing Voice
T1567 10 Exfiltration Over Web Service
T1567.001 10 Exfiltration to Code Repository
T1567.002 10 Exfiltration to Cloud Storage
T1567.003 10 Exfiltration to Text Storage Sites
T1567.004 10 Exfiltration Over Webhook
T1568 11 Dynamic Resolution
T1568.001 11 Fast Flux DNS
T1568.002 11 Domain Generation Algorithms
T1568.003 11 DNS Calculation
T1569 02 System Services
T1569.001 02 Launchctl
T1569.002 02 Service Execution
T1569.003 02 Systemctl
T1570 08 Lateral Tool Transfer
T1571 11 Non-Standard Port
T1572 11 Protocol Tunneling
T1573 11 Encrypted Channel
T1573.001 11 Symmetric Cryptography
T1573.002 11 Asymmetric Cryptography
T1574 03,04,05 Hijack Execution Flow
T1574.001 03,04,05 DLL
T1574.004 03,04,05 Dylib Hijacking
T1574.005 03,04,05 Executable Installer File Permissions Weakness
T1574.006 03,04,05 Dynamic Linker Hijacking
T1574.007 03,04,05 Path Interception by PATH Environment Variable
T1574.008 03,04,05 Path Interception by Search Order Hijacking
T1574.009 03,04,05 Path Interception by Unquoted Path
T1574.010 03,04,05 Services File Permissions Weakness
T1574.011 03,04,05 Services Registry Permissions Weakness
T1574.012 03,04,05 COR_PROFILER
T1574.013 03,04,05 KernelCallbackTable
T1574.014 03,04,05 AppDomainManager
T1578 05 Modify Cloud Compute Infrastructure
T1578.001 05 Create Snapshot
T1578.002 05 Create Cloud Instance
T1578.003 05 Delete Cloud Instance
T1578.004 05 Revert Cloud Instance
T1578.005 05 Modify Cloud Compute Configurations
T1580 07 Cloud Infrastructure Discovery
T1583 42 Acquire Infrastructure
T1583.001 42 Domains
T1583.002 42 DNS Server
T1583.003 42 Virtual Private Server
T1583.004 42 Server
T1583.005 42 Botnet
T1583.006 42 Web Services
T1583.007 42 Serverless
T1583.008 42 Malvertising
T1584 42 Compromise Infrastructure
T1584.001 42 Domains
T1584.002 42 DNS Server
T1584.003 42 Virtual Private Server
T1584.004 42 Server
T1584.005 42 Botnet
T1584.006 42 Web Services
T1584.007 42 Serverless
T1584.008 42 Network Devices
T1585 42 Establish Accounts
T1585.001 42 Social Media Accounts
T1585.002 42 Email Accounts
T1585.003 42 Cloud Accounts
T1586 42 Compromise Accounts
T1586.001 42 Social Media Accounts
T1586.002 42 Email Accounts
T1586.003 42 Cloud Accounts
T1587 42 Develop Capabilities
T1587.001 42 Malware
T1587.002 42 Code Signing Certificates
T1587.003 42 Digital Certificates
T1587.004 42 Exploits
T1588 42 Obtain Capabilities
T1588.001 42 Malware
T1588.002 42 Tool
T1588.003 42 Code Signing Certificates
T1588.004 42 Digital Certificates
T1588.005 42 Exploits
T1588.006 42 Vulnerabilities
T1588.007 42 Artificial Intelligence
T1589 43 Gather Victim Identity Information
T1589.001 43 Credentials
T1589.002 43 Email Addresses
T1589.003 43 Employee Names
T1590 43 Gather Victim Network Information
T1590.001 43 Domain Properties
T1590.002 43 DNS
T1590.003 43 Network Trust Dependencies
T1590.004 43 Network Topology
T1590.005 43 IP Addresses
T1590.006 43 Network Security Appliances
T1591 43 Gather Victim Org Information
T1591.001 43 Determine Physical Locations
T1591.002 43 Business Relationships
T1591.003 43 Identify Business Tempo
T1591.004 43 Identify Roles
T1592 43 Gather Victim Host Information
T1592.001 43 Hardware
T1592.002 43 Software
T1592.003 43 Firmware
T1592.004 43 Client Configurations
T1593 43 Search Open Websites/Domains
T1593.001 43 Social Media
T1593.002 43 Search Engines
T1593.003 43 Code Repositories
T1594 43 Search Victim-Owned Websites
T1595 43 Active Scanning
T1595.001 43 Scanning IP Blocks
T1595.002 43 Vulnerability Scanning
T1595.003 43 Wordlist Scanning
T1596 43 Search Open Technical Databases
T1596.001 43 DNS/Passive DNS
T1596.002 43 WHOIS
T1596.003 43 Digital Certificates
T1596.004 43 CDNs
T1596.005 43 Scan Databases
T1597 43 Search Closed Sources
T1597.001 43 Threat Intel Vendors
T1597.002 43 Purchase Technical Data
T1598 43 Phishing for Information
T1598.001 43 Spearphishing Service
T1598.002 43 Spearphishing Attachment
T1598.003 43 Spearphishing Link
T1598.004 43 Spearphishing Voice
T1599 05 Network Boundary Bridging
T1599.001 05 Network Address Translation Traversal
T1600 05 Weaken Encryption
T1600.001 05 Reduce Key Space
T1600.002 05 Disable Crypto Hardware
T1601 05 Modify System Image
T1601.001 05 Patch System Image
T1601.002 05 Downgrade System Image
T1602 09 Data from Configuration Repository
T1602.001 09 SNMP (MIB Dump)
T1602.002 09 Network Device Configuration Dump
T1606 06 Forge Web Credentials
T1606.001 06 Web Cookies
T1606.002 06 SAML Tokens
T1608 42 Stage Capabilities
T1608.001 42 Upload Malware
T1608.002 42 Upload Tool
T1608.003 42 Install Digital Certificate
T1608.004 42 Drive-by Target
T1608.005 42 Link Target
T1608.006 42 SEO Poisoning
T1609 02 Container Administration Command
T1610 02,05 Deploy Container
T1611 04 Escape to Host
T1612 05 Build Image on Host
T1613 07 Container and Resource Discovery
T1614 07 System Location Discovery
T1614.001 07 System Language Discovery
T1615 07 Group Policy Discovery
T1619 07 Cloud Storage Object Discovery
T1620 05 Reflective Code Loading
T1621 06 Multi-Factor Authentication Request Generation
T1622 05,07 Debugger Evasion
T1647 05 Plist File Modification
T1648 02 Serverless Execution
T1649 06 Steal or Forge Authentication Certificates
T1650 42 Acquire Access
T1651 02 Cloud Administration Command
T1652 07 Device Driver Discovery
T1653 03 Power Settings
T1654 07 Log Enumeration
T1656 05 Impersonation
T1657 40 Financial Theft
T1659 01,11 Content Injection
T1665 11 Hide Infrastructure
T1666 05 Modify Cloud Resource Hierarchy
T1667 40 Email Bombing
T1668 03 Exclusive Control
T1669 01 Wi-Fi Networks
T1671 03 Cloud Application Integration
T1672 05 Email Spoofing
T1673 07 Virtual Machine Discovery
T1674 02 Input Injection
T1675 02 ESXi Administration Command
`

/** The four-digit numbers of Enterprise techniques before sub-techniques existed. A number in this range that is missing above was revoked or deprecated. */
const FIRST_GENERATION = { from: 1001, to: 1223 } as const

/** Retired ids that rules still name, with their successors. */
const SUCCESSORS: ReadonlyMap<string, string> = new Map([
  ['T1002', 'T1560'],
  ['T1004', 'T1547.004'],
  ['T1009', 'T1027.001'],
  ['T1015', 'T1546.008'],
  ['T1022', 'T1560'],
  ['T1023', 'T1547.009'],
  ['T1028', 'T1021.006'],
  ['T1031', 'T1543.003'],
  ['T1032', 'T1573'],
  ['T1035', 'T1569.002'],
  ['T1038', 'T1574.001'],
  ['T1045', 'T1027.002'],
  ['T1050', 'T1543.003'],
  ['T1058', 'T1574.011'],
  ['T1060', 'T1547.001'],
  ['T1063', 'T1518.001'],
  ['T1065', 'T1571'],
  ['T1067', 'T1542.003'],
  ['T1073', 'T1574.001'],
  ['T1075', 'T1550.002'],
  ['T1076', 'T1021.001'],
  ['T1077', 'T1021.002'],
  ['T1081', 'T1552.001'],
  ['T1084', 'T1546.003'],
  ['T1085', 'T1218.011'],
  ['T1086', 'T1059.001'],
  ['T1088', 'T1548.002'],
  ['T1089', 'T1562.001'],
  ['T1093', 'T1055.012'],
  ['T1094', 'T1095'],
  ['T1096', 'T1564.004'],
  ['T1097', 'T1550.003'],
  ['T1099', 'T1070.006'],
  ['T1100', 'T1505.003'],
  ['T1101', 'T1547.005'],
  ['T1103', 'T1546.010'],
  ['T1107', 'T1070.004'],
  ['T1117', 'T1218.010'],
  ['T1118', 'T1218.004'],
  ['T1121', 'T1218.009'],
  ['T1122', 'T1546.015'],
  ['T1128', 'T1546.007'],
  ['T1130', 'T1553.004'],
  ['T1138', 'T1546.011'],
  ['T1139', 'T1552.003'],
  ['T1145', 'T1552.004'],
  ['T1146', 'T1070.003'],
  ['T1156', 'T1546.004'],
  ['T1158', 'T1564.001'],
  ['T1166', 'T1548.001'],
  ['T1168', 'T1053'],
  ['T1169', 'T1548.003'],
  ['T1170', 'T1218.005'],
  ['T1179', 'T1056.004'],
  ['T1191', 'T1218.003'],
  ['T1192', 'T1566.002'],
  ['T1193', 'T1566.001'],
  ['T1194', 'T1566.003'],
  ['T1208', 'T1558.003'],
  ['T1214', 'T1552.002'],
])

let techniques: ReadonlyMap<string, AttackTechnique> | null = null

/** Finds a technique by its id. The table is parsed at the first call, because most rulesets are compiled without checks. */
export function findTechnique(id: string): AttackTechnique | undefined {
  techniques ??= new Map(
    TABLE.trim()
      .split('\n')
      .map((line) => {
        const [key, tactics, ...name] = line.split(' ')
        return [key, { id: key, name: name.join(' '), tactics: tactics.split(',').map((digits) => `TA00${digits}`) }]
      }),
  )
  return techniques.get(id)
}

/** Returns the successor of an id that ATT&CK has retired; null when the id is current or never existed. */
export function retiredTechnique(id: string): { readonly successor: string | null } | null {
  const number = /^T(\d{4})$/.exec(id)
  if (number === null || findTechnique(id) !== undefined) return null
  if (Number(number[1]) < FIRST_GENERATION.from || Number(number[1]) > FIRST_GENERATION.to) return null
  return { successor: SUCCESSORS.get(id) ?? null }
}
