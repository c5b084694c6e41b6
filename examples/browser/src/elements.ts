/** Returns the element that a selector finds; throws if it is missing or of another class. */
export function find<Found extends Element>(
  selector: string,
  type: new () => Found,
  within: ParentNode = document,
): Found {
  const found = within.querySelector(selector)
  if (!(found instanceof type)) throw new TypeError(`index.html has no ${type.name} at '${selector}'.`)
  return found
}

/** Creates an element with properties and children. */
export function create<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const created = Object.assign(document.createElement(tag), properties)
  created.append(...children)
  return created
}

/** Announces a message to the user, by the live region of the page. */
export function announce(message: string): void {
  find('#status', HTMLElement).textContent = message
}
