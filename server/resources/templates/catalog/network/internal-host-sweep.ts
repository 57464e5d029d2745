import { series, syslog } from '../events.js'
import { type Template, xml } from '../template.js'

const refused = (source: string, target: string, port: number): string =>
  syslog('kernel', `[UFW BLOCK] IN=eth1 OUT=eth2 SRC=${source} DST=${target} LEN=60 PROTO=TCP SPT=50022 DPT=${port} WINDOW=1024 RES=0x00 SYN URGP=0`, 'fw1')

export const internalHostSweep: Template = {
  id: 'internal-host-sweep',
  category: 'network',
  kind: 'rule',
  platform: ['network', 'linux'],
  attackIds: ['T1018', 'T1046'],
  tags: ['firewall', 'scan', 'lateral-movement', 'correlation'],
  texts: {
    'en-US': {
      title: 'Internal host looks for other hosts',
      description: 'An internal address is refused at eight different internal hosts within a minute. From outside that is noise; from inside it is somebody who looks around.',
      tips: [
        'Leave vulnerability scanners and monitoring out with a second <srcip negate="yes"> or with the template for authorized scanners.',
        'Only refused packets count: segment the network and log what is refused between the segments.',
      ],
    },
    'pt-BR': {
      title: 'Host interno procura outros hosts',
      description: 'Um endereço interno é recusado por oito hosts internos diferentes em um minuto. De fora isso é ruído; de dentro é alguém explorando a rede.',
      tips: [
        'Exclua scanners de vulnerabilidade e monitoramento com um <srcip negate="yes"> ou com o modelo para scanners autorizados.',
        'Só pacotes recusados contam: segmente a rede e registre o que é recusado entre os segmentos.',
      ],
    },
  },
  xml: xml`
    <group name="local,firewall,">
      <rule id="102040" level="6">
        <if_sid>4101</if_sid>
        <srcip>10.0.0.0/8</srcip>
        <dstip>10.0.0.0/8</dstip>
        <description>Firewall: packet between internal hosts refused, $(srcip) to $(dstip):$(dstport)</description>
        <group>firewall_drop,pci_dss_1.4,</group>
      </rule>

      <rule id="102041" level="12" frequency="8" timeframe="60" ignore="300">
        <if_matched_sid>102040</if_matched_sid>
        <same_srcip />
        <different_dstip />
        <description>Firewall: the internal host $(srcip) tries one internal host after the other</description>
        <mitre>
          <id>T1018</id>
          <id>T1046</id>
        </mitre>
        <group>recon,pci_dss_11.4,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'one refused packet', events: refused('10.1.2.3', '10.2.0.9', 445), gives: { rule: 102040, level: 6 } },
    { shows: 'eight targets', events: series(8, 4, (index) => refused('10.1.2.3', `10.2.0.${index + 1}`, 445)), gives: { rule: 102041, level: 12 } },
  ],
  lookalikes: [
    { shows: 'eight packets to one target', events: series(8, 4, () => refused('10.1.2.3', '10.2.0.9', 445)), not: 102041, gives: { rule: 102040 } },
    { shows: 'eight targets from outside', events: series(8, 4, (index) => refused('203.0.113.7', `10.2.0.${index + 1}`, 445)), not: 102041 },
    { shows: 'eight targets in four minutes', events: series(8, 30, (index) => refused('10.1.2.3', `10.2.0.${index + 1}`, 445)), not: 102041 },
  ],
}
