import { security, syslog } from '../events.js'
import { type Template, xml } from '../template.js'

const plugged = (vendor: string, product: string): string =>
  syslog('kernel', `[ 5123.400001] usb 1-1.2: New USB device found, idVendor=${vendor}, idProduct=${product}, bcdDevice= 1.00`)
const recognized = (device: string, kind: string): string =>
  security('6416', { deviceId: device, deviceDescription: 'USB device', className: kind, subjectUserName: 'PC1$' }, 'pc1.example.com')

export const usbStorageNotApproved: Template = {
  id: 'usb-storage-not-approved',
  category: 'endpoint',
  kind: 'rule',
  platform: ['linux', 'windows'],
  attackIds: ['T1052.001', 'T1091'],
  tags: ['usb', 'removable-media', 'exfiltration', 'allow-list'],
  texts: {
    'en-US': {
      title: 'USB device that is not approved',
      description: 'Alerts when a USB device is plugged in that is not one of the approved models. Data leaves on such devices, and malware comes in.',
      tips: [
        'List the approved devices as vendor and product; lsusb shows both, on Windows they are part of the device id.',
        'Windows needs the audit policy "Audit PNP Activity" (event 6416).',
        'Keyboards and mice have ids as well: begin in a quiet network, collect, then alert.',
      ],
    },
    'pt-BR': {
      title: 'Dispositivo USB não aprovado',
      description: 'Alerta quando se conecta um dispositivo USB que não é de um dos modelos aprovados. Por tais dispositivos saem dados e entra malware.',
      tips: [
        'Liste os dispositivos aprovados por fabricante e produto; lsusb mostra ambos, no Windows fazem parte do id do dispositivo.',
        'O Windows precisa da política de auditoria "Audit PNP Activity" (evento 6416).',
        'Teclados e mouses também têm ids: comece em uma rede tranquila, colete e só então alerte.',
      ],
    },
  },
  xml: xml`
    <group name="local,usb,">
      <rule id="112060" level="7">
        <if_sid>5100</if_sid>
        <match>New USB device found, idVendor=</match>
        <regex type="pcre2" negate="yes">idVendor=(?:0951, idProduct=1666|1d6b, idProduct=000[123])</regex>
        <description>USB device plugged in that is not approved</description>
        <mitre>
          <id>T1052.001</id>
          <id>T1091</id>
        </mitre>
        <group>linuxkernel,policy_violation,</group>
      </rule>

      <rule id="112061" level="7">
        <if_sid>60103</if_sid>
        <field name="win.system.eventID">^6416$</field>
        <field name="win.eventdata.className" type="pcre2">(?i)^(?:DiskDrive|WPD|USB)$</field>
        <field name="win.eventdata.deviceId" type="pcre2" negate="yes">(?i)VID_0951\x26PID_1666</field>
        <description>USB device that is not approved plugged into $(win.system.computer): $(win.eventdata.deviceId)</description>
        <mitre>
          <id>T1052.001</id>
          <id>T1091</id>
        </mitre>
        <group>windows,policy_violation,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'a foreign stick on Linux', events: plugged('0781', '5567'), gives: { rule: 112060, level: 7 } },
    { shows: 'a foreign stick on Windows', events: recognized('USB\\VID_0781&PID_5567\\4C53', 'DiskDrive'), gives: { rule: 112061, level: 7 } },
  ],
  lookalikes: [
    { shows: 'an approved stick on Linux', events: plugged('0951', '1666'), not: 112060 },
    { shows: 'an approved stick on Windows', events: recognized('USB\\VID_0951&PID_1666\\4C53', 'DiskDrive'), not: 112061 },
    { shows: 'a monitor', events: recognized('DISPLAY\\DEL4098\\5&1', 'Monitor'), not: 112061 },
  ],
}
