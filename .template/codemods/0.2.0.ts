// Renames of version 0.2.0 in plugins and resources of a project.

export const description = 'hooks of plugins are named after the moment they run, and types after what they hold'

/** Members of a plugin. */
const members: Readonly<Record<string, string>> = {
  onMatch: 'onRoute',
  onServe: 'beforeOperations',
  onSubject: 'onSubjectLoaded',
  onInput: 'onValidate',
  onWrite: 'beforeSave',
  onSaved: 'afterSave',
  onRead: 'afterRead',
  onRelation: 'beforeRelationLoad',
  onCommit: 'afterCommit',
  onSend: 'onResponse',
  joins: 'appliesTo',
}

/** Exports of '#kernel' and '#kernel/plugin'. */
const exports: Readonly<Record<string, string>> = {
  Rec: 'Row',
  Reading: 'QueryContext',
  Known: 'Exchange',
  MomentOfType: 'TypeHook',
  need: 'addNeeds',
}

/** Renames imported names wherever the file uses them, and hooks in files that import the contract of plugins. */
export function rewrite(source: string): string {
  const imports = [...source.matchAll(/^import (?:type )?\{([^}]*)\} from '(#kernel(?:\/plugin)?)'/gm)]
  const names = imports.flatMap(([, list = '']) =>
    list.split(',').map((name) => name.replace(/^\s*(?:type )?|\s+$/g, '')),
  )
  const renamed = Object.entries(exports)
    .filter(([name]) => names.includes(name))
    .reduce(
      (text, [name, instead]) => text.replace(new RegExp(`(?<![\\w.'"])${name}(?![\\w'":])`, 'g'), instead),
      source,
    )
  return imports.some(([, , from]) => from === '#kernel/plugin') ? renameMembers(renamed) : renamed
}

/** Renames members of objects, and their names in quotation marks; calls such as `unit.onCommit()` keep their name. */
function renameMembers(source: string): string {
  return Object.entries(members).reduce((text, [name, instead]) => {
    const member = new RegExp(`(?<=(?:^|[{,])\\s*(?:async )?)${name}(?=\\s*[(:])`, 'gm')
    return text.replace(member, instead).replace(new RegExp(`(?<=['"])${name}(?=['"])`, 'g'), instead)
  }, source)
}
