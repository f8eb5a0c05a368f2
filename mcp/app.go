package mcp

// AppsExtension is the name under which clients and servers declare MCP Apps (SEP-1865): pages that
// chat apps show in a frame, beside the results of tools.
const AppsExtension = "io.modelcontextprotocol/ui"

// AppMIMEType is the type of a Resource that is an app.
const AppMIMEType = "text/html;profile=mcp-app"

// View says how an app and a tool belong together. Only clients that show apps see it.
type View struct {
	// App is the URI of the app that shows the results of the tool, "" if none does.
	App string
	// Hidden says that the tool is for apps. Models do not see it.
	Hidden bool
	// Calling and Called are what ChatGPT shows during and after a call. They may be empty.
	Calling, Called string
}

// uiMeta is the member "ui" of a tool's _meta.
type uiMeta struct {
	ResourceURI string   `json:"resourceUri,omitempty"`
	Visibility  []string `json:"visibility"`
}

// viewMeta is what a tool's _meta says of a View: as the standard has it, in its first form, and as
// ChatGPT named it before.
type viewMeta struct {
	UI             *uiMeta `json:"ui,omitempty"`
	ResourceURI    string  `json:"ui/resourceUri,omitempty"`
	OutputTemplate string  `json:"openai/outputTemplate,omitempty"`
	Accessible     bool    `json:"openai/widgetAccessible,omitempty"`
	Visibility     string  `json:"openai/visibility,omitempty"`
	Calling        string  `json:"openai/toolInvocation/invoking,omitempty"`
	Called         string  `json:"openai/toolInvocation/invoked,omitempty"`
}

func (v *View) meta() viewMeta {
	m := viewMeta{
		UI:             &uiMeta{v.App, []string{"model", "app"}},
		ResourceURI:    v.App,
		OutputTemplate: v.App,
		Accessible:     true,
		Calling:        v.Calling,
		Called:         v.Called,
	}
	if v.Hidden {
		m.UI.Visibility = []string{"app"}
		m.Visibility = "private"
	}

	return m
}
