import type { Stages, TypeStages } from '#kernel/store'

/** Reports members of plugins that are no longer called, and what replaces them. */
export function formerMembers(
  plugins: readonly { readonly name: string }[],
  disabled: readonly string[] = [],
): string[] {
  const enabled = plugins.filter(({ name }) => !disabled.includes(name))
  return enabled.flatMap((plugin) =>
    Object.entries(replacements).flatMap(([member, replacement]) =>
      member in plugin
        ? [
            `Plugin '${plugin.name}' (plugins/${plugin.name}/index.ts) has the member ${member}, which has become ${replacement}.`,
          ]
        : [],
    ),
  )
}

/** What replaces a former member: without the check, a hook of a plugin that was not updated would not be called. */
const replacements: Readonly<Record<string, string>> = {
  onRequest: addsStep('begin'),
  beforeOperations: addsStep('authorize'),
  onTransaction: addsStep('transaction'),
  precondition: addsStep('precondition'),
  onSubjectLoaded: addsStep('check'),
  onValidate: addsStep('validate', "{ of: 'row', check: … }"),
  beforeAction: addsStep('beforeSave'),
  beforeSave: addsStep('beforeSave'),
  afterSave: addsStep('afterSave'),
  afterRead: addsStep('afterOperation'),
  afterWrite: addsStep('afterOperation'),
  beforeCommit: addsStep('transaction', '(transaction) => transaction.beforeCommit(…)'),
  afterCommit: addsStep('afterCommit'),
  resourceMeta: addsStep('meta'),
  onDocument: addsStep('document'),
  onResponse: addsStep('respond'),
  beforeSend: addsStep('beforeSend'),
  scope: addsTypeStep('scope', "{ of: 'addressed', condition: … }"),
  showsType: addsTypeStep('scope', "{ of: 'visible', condition: … }"),
  writeScope: addsTypeStep('scope', "{ of: 'written', condition: … }"),
  onMembers: addsTypeStep('checkRows', "{ of: 'members', check: … }"),
  onLink: addsTypeStep('checkRows', "{ of: 'links', check: … }"),
  onRowsWritten: addsTypeStep('checkRows', "{ of: 'written', check: … }"),
  allows: addsTypeStep('allows'),
  filterRows: addsTypeStep('filterRows'),
  beforeRelationLoad: addsTypeStep('beforeRelationLoad'),
  beforeRender: addsTypeStep('beforeRender'),
  appliesTo: 'a condition in planType or plan, which adds steps only where there is work',
  validatesStoredRow: addsStep('validate', "{ of: 'input' or 'row', check: … }"),
  forms: 'keys: { name: form }',
  dormant: 'npm run doctor, which lists modifiers without an effect: remove the member',
  listParameters: 'parameters: { name: { list: … } }',
  onCompiled: 'a function that onCompile returns',
  warnings: 'onCompile(registry) { registry.warn(…) }',
  hints: 'setup(app) { app.hints.push(…) }',
  decorate: 'observer: { step: … }',
  aroundStage: 'observer: { around: … }',
  // of version 0.1
  onMatch: 'onRoute',
  onServe: addsStep('authorize'),
  onSubject: addsStep('check'),
  onInput: addsStep('validate', "{ of: 'row', check: … }"),
  onWrite: addsStep('beforeSave'),
  onSaved: addsStep('afterSave'),
  onRead: addsStep('afterOperation'),
  onRelation: addsTypeStep('beforeRelationLoad'),
  onCommit: addsStep('afterCommit'),
  onSend: addsStep('respond'),
  joins: 'a condition in planType or plan, which adds steps only where there is work',
}

function addsStep(stage: keyof Stages, step = '…'): string {
  return `plan({ kind, type, ${stage} }) { ${stage}.push(${step}) }`
}

function addsTypeStep(stage: keyof TypeStages, step = '…'): string {
  return `planType({ type, ${stage} }) { ${stage}.push(${step}) }`
}
