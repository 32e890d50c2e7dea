/* Browsers give pages from file:// no workers, and the search runs in one: there it runs in a hidden frame instead. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      this.scope = frame.contentWindow
      this.scope.postMessage = data => this.receive(data)
      this.scope.importScripts = (...urls) => urls.reduce((before, each) => before.then(() => this.load(each)), Promise.resolve())
      this.ready = this.load(url)
    }
    load(url) {
      const script = this.scope.document.createElement("script")
      const loaded = new Promise((resolve, reject) => { script.onload = resolve; script.onerror = reject })
      script.src = url
      this.scope.document.body.append(script)
      return loaded
    }
    receive(data) {
      const event = new MessageEvent("message", { data })
      this.dispatchEvent(event)
      if (this.onmessage) this.onmessage(event)
    }
    postMessage(data) {
      this.ready.then(() => this.scope.dispatchEvent(new MessageEvent("message", { data })))
    }
    terminate() { this.scope.frameElement.remove() }
  }
}
