import { series, syslog } from '../events.js'
import { type Template, xml } from '../template.js'

const wrong = (host: string, address = '203.0.113.7'): string => syslog('sshd[2201]', `Failed password for root from ${address} port 50122 ssh2`, host)

export const stricterThresholdForImportantHosts: Template = {
  id: 'stricter-threshold-for-important-hosts',
  category: 'generic',
  kind: 'rule',
  platform: ['linux'],
  attackIds: ['T1110.001'],
  tags: ['threshold', 'tuning', 'ssh', 'correlation'],
  texts: {
    'en-US': {
      title: 'A lower threshold for important hosts',
      description: 'The shipped rules for brute force count to a number that suits all hosts. This pair counts failures on chosen hosts by themselves, and alerts after three.',
      tips: [
        'Replace the names of the hosts. What stands here for SSH works for each rule: first a child with the hosts, then a rule that counts the child.',
        'Do not overwrite the shipped rule for that: the child goes on working when the ruleset is updated.',
      ],
    },
    'pt-BR': {
      title: 'Um limiar menor para hosts importantes',
      description:
        'As regras de fábrica contra força bruta contam até um número que serve a todos os hosts. Este par conta à parte as falhas em hosts escolhidos e alerta depois de três.',
      tips: [
        'Troque os nomes dos hosts. O que está aqui para SSH vale para toda regra: primeiro um filho com os hosts, depois uma regra que conta o filho.',
        'Não sobrescreva para isso a regra de fábrica: o filho continua a funcionar quando o ruleset é atualizado.',
      ],
    },
  },
  xml: xml`
    <group name="local,syslog,sshd,">
      <rule id="114040" level="6">
        <if_sid>5760</if_sid>
        <hostname type="pcre2">^(?:dc|db|pay)\d+$</hostname>
        <description>sshd: wrong password of $(dstuser) from $(srcip) on an important host</description>
        <mitre>
          <id>T1110.001</id>
        </mitre>
        <group>authentication_failed,pci_dss_10.2.4,</group>
      </rule>

      <rule id="114041" level="11" frequency="3" timeframe="300" ignore="60">
        <if_matched_sid>114040</if_matched_sid>
        <same_srcip />
        <description>sshd: three wrong passwords from $(srcip) on important hosts</description>
        <mitre>
          <id>T1110.001</id>
        </mitre>
        <group>authentication_failures,pci_dss_11.4,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'a wrong password', events: wrong('db1'), gives: { rule: 114040, level: 6 } },
    { shows: 'three wrong passwords on two hosts', events: series(3, 60, (index) => wrong(`db${index % 2}`)), gives: { rule: 114041, level: 11 } },
  ],
  lookalikes: [
    { shows: 'three wrong passwords on another host', events: series(3, 60, () => wrong('web1')), not: 114041, gives: { rule: 5760 } },
    { shows: 'three addresses', events: series(3, 60, (index) => wrong('db1', `203.0.113.${index}`)), not: 114041, gives: { rule: 114040 } },
  ],
}
