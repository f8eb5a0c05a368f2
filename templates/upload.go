package templates

// Upload takes the file of a link: a form that posts it as file.
type Upload struct {
	Product string
	Name    string // of the file that is asked for
	Accept  string // its media type; "" is any
	Most    string // the size that it may have
	Until   Text   // when the link ends
	Error   Text   // why the last file was not taken; nil if there was none
	Sent    bool   // the file was taken
}

func (Upload) file() string { return "upload" }
