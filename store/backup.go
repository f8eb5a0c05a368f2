package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"rialto/store/sqldb"
)

// Backup writes the state of a database at one moment into a new SQLite file, with every task that
// had ended before the call. A server may be running. The file is there when it is complete; it
// can be restored into either engine.
func Backup(ctx context.Context, dsn, file string) error {
	if err := absent(file); err != nil {
		return err
	}
	return prepared(filepath.Dir(file), func(made string) error {
		if err := copyInto(ctx, dsn, made); err != nil {
			return err
		}
		return place(ctx, made, file)
	})
}

// Restore writes what Backup has written into a database that must not exist or, on PostgreSQL,
// must be empty. It brings the tables up to date.
func Restore(ctx context.Context, file, dsn string) error {
	path := strings.TrimPrefix(dsn, "sqlite:")
	ofPostgres := strings.HasPrefix(dsn, "postgres")
	near := os.TempDir()
	if !ofPostgres {
		for _, suffix := range []string{"", "-wal", ".pending", ".pending-wal", ".pending-keys"} {
			if err := absent(path + suffix); err != nil {
				return err
			}
		}
		near = filepath.Dir(path)
	}

	return prepared(near, func(made string) error {
		if err := duplicate(ctx, file, made); err != nil {
			return err
		}
		if err := adopt(ctx, made); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if !ofPostgres {
			return place(ctx, made, path)
		}
		db, err := sqldb.Open(ctx, dsn)
		if err != nil {
			return err
		}
		return errors.Join(db.CopyToPostgres(ctx, made), db.Close())
	})
}

// adopt checks a copy of a backup, and brings its tables up to date.
func adopt(ctx context.Context, made string) error {
	if err := sqldb.CheckFile(ctx, made); err != nil {
		return err
	}
	if err := openOnce(ctx, made, Open); err != nil {
		return err
	}
	return sqldb.CheckSchema(ctx, made)
}

// absent returns an error if a file exists.
func absent(path string) error {
	_, err := os.Lstat(path)
	if err == nil {
		return fmt.Errorf("%s exists: it is not overwritten; move it away first", path)
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// prepared calls do with the path of a file to make in a directory of its own, which is removed
// afterwards.
func prepared(near string, do func(made string) error) error {
	dir, err := os.MkdirTemp(near, ".rialto-backup-*")
	if err != nil {
		return err
	}
	return errors.Join(do(filepath.Join(dir, "rialto.db")), os.RemoveAll(dir))
}

// copyInto writes the state of a database into a new file.
func copyInto(ctx context.Context, dsn, made string) error {
	if strings.HasPrefix(dsn, "postgres") {
		return copyPostgres(ctx, dsn, made)
	}

	path, err := filepath.EvalSymlinks(strings.TrimPrefix(dsn, "sqlite:"))
	if err != nil {
		return err
	}
	// A task that has ended is in the write-behind file until it is in the database, so what is
	// copied later has what the first copy has not.
	pending := made + ".pending"
	if err := sqldb.CopyFile(ctx, path+".pending", pending); err != nil &&
		!errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := sqldb.CopyFile(ctx, path, made); err != nil {
		return err
	}
	if err := openOnce(ctx, made, OpenMigrated); err != nil { // which takes the tasks in
		return fmt.Errorf(
			"%w (make a backup with the version of Rialto that runs on the database)", err,
		)
	}
	if _, err := os.Stat(pending); err == nil {
		return fmt.Errorf(
			"%s.pending cannot be read, or it belongs to another database: start the server, which sets it aside, and make the backup then",
			path,
		)
	}

	return nil
}

func copyPostgres(ctx context.Context, dsn, made string) error {
	db, err := sqldb.OpenMigrated(ctx, dsn)
	if err != nil {
		return err
	}
	if err = openOnce(ctx, made, Open); err == nil {
		err = db.CopyFromPostgres(ctx, made)
	}
	return errors.Join(err, db.Close())
}

// openOnce opens a database and closes it.
func openOnce(
	ctx context.Context, path string, open func(context.Context, string) (*DB, error),
) error {
	db, err := open(ctx, path)
	if err != nil {
		return err
	}
	return db.Close()
}

// place checks a complete file, writes it to the disk and renames it.
func place(ctx context.Context, made, path string) error {
	if err := sqldb.CheckFile(ctx, made); err != nil {
		return err
	}
	if err := syncFile(made); err != nil {
		return err
	}
	if err := absent(path); err != nil { // which may have come meanwhile
		return err
	}
	if err := os.Rename(made, path); err != nil {
		return err
	}

	return syncFile(filepath.Dir(path))
}

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// duplicate copies the bytes of a file, as many as it has: it may be on a medium that is read-only.
func duplicate(ctx context.Context, from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", from)
	}

	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}

	_, err = io.Copy(out, stoppable{ctx, io.LimitReader(in, info.Size())})
	return errors.Join(err, out.Close())
}

// stoppable is a reader that fails when ctx ends.
type stoppable struct {
	ctx context.Context
	io.Reader
}

func (s stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Reader.Read(p)
}
