import { security } from '../events.js'
import { type Template, xml } from '../template.js'

const task = (name: string, user: string): string =>
  security(
    '4698',
    { subjectUserName: user, subjectDomainName: 'EXAMPLE', taskName: name, taskContent: '<Task><Exec><Command>C:\\Tools\\a.exe</Command></Exec></Task>' },
    'pc1.example.com',
  )

export const scheduledTaskForeignName: Template = {
  id: 'scheduled-task-foreign-name',
  category: 'endpoint',
  kind: 'rule',
  platform: ['windows'],
  attackIds: ['T1053.005'],
  tags: ['scheduled-task', 'persistence', 'allow-list'],
  texts: {
    'en-US': {
      title: 'Scheduled task outside the known folders',
      description: 'Windows and the own software deployment keep their tasks in folders of their own. A person who creates one anywhere else is rare enough to look at each.',
      tips: ['Put the folders of your deployment and of installed products into the condition.', 'Needs the audit policy "Audit Other Object Access Events" (event 4698).'],
    },
    'pt-BR': {
      title: 'Tarefa agendada fora das pastas conhecidas',
      description:
        'O Windows e a própria distribuição de software mantêm as tarefas em pastas próprias. Uma pessoa que cria uma em outro lugar é rara o bastante para olhar cada caso.',
      tips: ['Coloque as pastas da sua distribuição e dos produtos instalados na condição.', 'Precisa da política de auditoria "Audit Other Object Access Events" (evento 4698).'],
    },
  },
  xml: xml`
    <group name="local,windows,windows_security,">
      <rule id="112100" level="8">
        <if_sid>60103</if_sid>
        <field name="win.system.eventID">^4698$</field>
        <field name="win.eventdata.taskName" type="pcre2" negate="yes">(?i)^\\+(?:Microsoft|Company|GoogleUpdate\w*)\\</field>
        <field name="win.eventdata.subjectUserName" type="pcre2" negate="yes">\$$</field>
        <description>Scheduled task $(win.eventdata.taskName) created by $(win.eventdata.subjectUserName) on $(win.system.computer)</description>
        <mitre>
          <id>T1053.005</id>
        </mitre>
        <group>persistence,pci_dss_10.2.7,</group>
      </rule>
    </group>
  `,
  samples: [{ shows: 'a task at the top', events: task('\\Updater', 'alice'), gives: { rule: 112100, level: 8 } }],
  lookalikes: [
    { shows: 'a task of the deployment', events: task('\\Company\\Inventory', 'alice'), not: 112100 },
    { shows: 'a task of the computer itself', events: task('\\Updater', 'PC1$'), not: 112100 },
  ],
}
